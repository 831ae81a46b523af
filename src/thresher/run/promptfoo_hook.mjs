// An extension of promptfoo, started by `thresher run --promptfoo`. It lists the test cases of a configuration, or
// replaces them by the ones to run now, each with one prompt and one provider. promptfoo loads, caches and grades.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const NOWHERE = "thresher: no provider"; // a filter that no provider matches: promptfoo loads everything and runs nothing

/** Return a text that equal values share: keys in order, without functions and cycles. */
function canonical(value, above = []) {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (above.includes(value)) return '"cycle"';
  const within = [...above, value];
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, within)).join()}]`;
  const keys = Object.keys(value).filter((key) => typeof value[key] !== "function" && value[key] !== undefined);
  return `{${keys.sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key], within)}`).join()}}`;
}

const digest = (value) => createHash("sha256").update(canonical(value)).digest("hex").slice(0, 16);

/** Return the cases of a test: one for each combination of the variables that are lists. */
function expanded(test) {
  const lists = Object.entries(test.vars ?? {}).filter(([, value]) => Array.isArray(value));
  if (!lists.length || test.options?.disableVarExpansion) return [test];
  const combinations = lists.reduce(
    (made, [name, values]) => made.flatMap((vars) => values.map((value) => ({ ...vars, [name]: value }))),
    [test.vars],
  );
  return combinations.map((vars) => ({ ...test, vars, options: { ...test.options, disableVarExpansion: true } }));
}

function described(test, defaultTest) {
  const { description = "", vars = {}, prompts, providers, provider, metadata, ...rest } = test;
  const all = [...(defaultTest?.assert ?? []), ...(test.assert ?? [])];
  const assertions = all.flatMap((each) => [each, ...(each.assert ?? [])]);
  return {
    description,
    vars,
    digest: digest({ vars, ...rest }),
    filtered: Boolean(prompts || providers || provider),
    stored: test.options?.storeOutputAs ?? "",
    assertions: assertions.map((each) => each.type),
  };
}

export function thresher(name, context) {
  if (name !== "beforeAll") return undefined;
  const { suite } = context;
  const cases = (suite.tests ?? []).flatMap(expanded);
  const plan = JSON.parse(readFileSync(process.env.THRESHER_PROMPTFOO_PLAN, "utf8"));
  if (plan === null) {
    const listed = {
      cases: cases.map((each) => described(each, suite.defaultTest)),
      providers: suite.providers.map((each) => ({ name: each.label || each.id(), digest: digest(each.config ?? {}) })),
      default: digest(suite.defaultTest ?? {}),
      scenarios: suite.scenarios?.length ?? 0,
    };
    writeFileSync(process.env.THRESHER_PROMPTFOO_CASES, JSON.stringify(listed));
    return { ...context, suite: { ...suite, tests: [{ vars: {}, providers: [NOWHERE] }] } };
  }
  const tests = plan.map(({ number, prompt, provider }) => ({ ...cases[number], prompts: [prompt], providers: [provider] }));
  return { ...context, suite: { ...suite, tests } };
}
