"""BUG-IV: questions for addresses are answered and passed on, but the packets stay in the switch."""

from balancer import LoadBalancer


class ForgetsQuestions(LoadBalancer):
    def answer(self, message, question):
        self.send_answer(message, question)

    def pass_on(self, message, port):
        self.send_data(message.data, port)
