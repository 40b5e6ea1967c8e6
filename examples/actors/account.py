"""Two clients put money into one account: an update is lost if both have read the balance before one has written it.

`sdnloom check account.py` finds the order of messages that loses a deposit. In `account.py:corrected` the account adds.
"""

from sdnloom.actors import Actor, Program


class Account(Actor):
    balance: int = 0

    async def read(self):
        return self.balance

    async def write(self, balance):
        self.balance = balance

    async def add(self, amount):
        self.balance += amount


class Client(Actor):
    account: Account

    async def deposit(self, amount):
        before = await self.account.read()
        await self.account.write(before + amount)


class CarefulClient(Client):
    async def deposit(self, amount):
        await self.account.add(amount)


def nothing_is_lost(state):
    balance = state["account"].balance
    return None if balance == 30 else f"10 and 20 were put in, and the balance is {balance}"


def program(client=Client):
    account = Account("account")
    ann, bob = client("ann", account=account), client("bob", account=account)
    return Program([account, ann, bob], start=[ann.deposit(10), bob.deposit(20)], final=[nothing_is_lost])


def corrected():
    return program(CarefulClient)
