/**
 * Claude's memory tool: `betaMemoryTool(memoryTool(new Annals(), "ann"))` with `betaMemoryTool` of `@anthropic-ai/sdk/helpers/beta/memory`.
 *
 * The service carries the commands out and answers the texts of Anthropic's own file tool; these handlers only pass them on. What the
 * model did wrong is thrown as an error with the text for the model.
 */

import { path } from "./connection.js";
import { type Annals, ProblemError } from "./index.js";

const REFUSED = 422;
type Handler = (command: object) => Promise<string>;

/** Returns the six handlers of the tool for the files of an agent. */
export function memoryTool(annals: Annals, agent: string) {
  const handler =
    (command: string): Handler =>
    async (input) => {
      try {
        const body = { ...input, command };
        return await annals.connection.ask<string>("POST", path("compat", "anthropic", agent), { body });
      } catch (error) {
        if (error instanceof ProblemError && error.status === REFUSED) throw new Error(error.detail);
        throw error;
      }
    };
  return {
    view: handler("view"),
    create: handler("create"),
    str_replace: handler("str_replace"),
    insert: handler("insert"),
    delete: handler("delete"),
    rename: handler("rename"),
  };
}
