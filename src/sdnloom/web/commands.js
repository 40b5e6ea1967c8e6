// Commands to the server. Answers are JSON; a refusal is a sentence.

class Commands {
  constructor(token) {
    this.token = token;
    this.last = Promise.resolve();
  }

  // Acts after the commands before it are answered and shown, so that it sees what they have changed.
  inOrder(act) {
    this.last = this.last.then(act, act);
    return this.last;
  }

  async post(name, given = {}) {
    let response;
    try {
      response = await fetch(`/do/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Sdnloom-Token": this.token },
        body: JSON.stringify(given),
      });
    } catch {
      throw new Error("the explorer does not answer; was `sdnloom explore` ended?");
    }
    if ((response.headers.get("Content-Type") || "").startsWith("application/json")) {
      const answer = await response.json();
      if (answer.error) throw new Error(answer.error);
      return answer;
    }
    throw new Error((await response.text()).trim() || `the explorer answers with status ${response.status}`);
  }
}
