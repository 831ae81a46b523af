// A provider that makes up answers with a fixed seed; replace it in promptfooconfig.yaml by your own models.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";

const SKILL = { small: 0.45, medium: 0.7, large: 0.93 };
const number = (text) => createHash("sha256").update(text).digest().readUInt32LE() / 2 ** 32;

export default class Model {
  constructor({ id, config }) {
    this.name = id ?? "model";
    this.skill = SKILL[config.size];
    this.size = config.size;
  }

  id() {
    return this.name;
  }

  async callApi(prompt, { vars }) {
    if (process.env.CALLS) appendFileSync(process.env.CALLS, `${this.size}\n`); // the test counts calls
    const skill = this.skill + (prompt.includes("step by step") ? 0.05 : 0);
    const isRight = number(`${this.size} ${prompt} ${vars.question}`) < skill;
    return { output: isRight ? `The answer is ${vars.answer}.` : "I do not know." };
  }
}
