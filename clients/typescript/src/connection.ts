/**
 * Requests over HTTP: the key, a time limit, repeated attempts, and errors.
 *
 * Attempts are repeated only if the service has not carried the request out: on 429 and 503, after the time in `Retry-After`.
 */

import { ProblemError, UnreachableError } from "./errors.js";

export interface Options {
  /** Default: the variable `ANNALS_URL`, or this machine. */
  url?: string;
  /** Default: the variable `ANNALS_KEY`. */
  key?: string;
  /** Milliseconds. The service itself ends a request after 60 seconds. */
  timeout?: number;
  /** How often an attempt is repeated. */
  retries?: number;
  fetch?: typeof fetch;
}

export interface Ask {
  body?: unknown;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
}

const USUAL_URL = "http://127.0.0.1:7411";
const USUAL_TIMEOUT = 75_000;
const USUAL_RETRIES = 3;
const LONGEST_WAIT = 30;
const FIRST_WAIT = 0.5;

/** Returns a path. A slash within a segment is part of the name. */
export function path(...segments: string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

export class Connection {
  readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly timeout: number;
  private readonly retries: number;
  private readonly fetch: typeof fetch;

  constructor(options: Options = {}) {
    this.url = (options.url ?? variable("ANNALS_URL") ?? USUAL_URL).replace(/\/+$/, "");
    const key = options.key ?? variable("ANNALS_KEY");
    this.headers = key ? { authorization: `Bearer ${key}` } : {};
    this.timeout = options.timeout ?? USUAL_TIMEOUT;
    this.retries = options.retries ?? USUAL_RETRIES;
    this.fetch = options.fetch ?? fetch;
  }

  /** Sends a request. Returns the JSON or the text of the answer, or throws its problem. */
  async ask<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.send(method, path, ask);
      const body = await content(response);
      if (response.ok) return body as T;
      const seconds = Number(response.headers.get("retry-after") ?? NaN);
      const wait = Number.isFinite(seconds) ? seconds : FIRST_WAIT * 2 ** attempt;
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || attempt >= this.retries || wait > LONGEST_WAIT) {
        throw new ProblemError(response.status, body, Number.isFinite(seconds) ? seconds : undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }

  private async send(method: string, path: string, { body, query, headers }: Ask): Promise<Response> {
    const init: RequestInit = { method, headers: { ...this.headers, ...headers }, signal: AbortSignal.timeout(this.timeout) };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "content-type": "application/json" };
    }
    try {
      return await this.fetch(this.url + path + parameters(query), init);
    } catch (cause) {
      throw new UnreachableError(`no answer from ${this.url}; is \`annals serve\` running there?`, { cause });
    }
  }
}

async function content(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  const kind = response.headers.get("content-type")?.split(";")[0];
  return kind === "application/json" || kind === "application/problem+json" ? JSON.parse(text) : text;
}

function parameters(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Returns an environment variable where there are some: not in browsers. */
function variable(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name] || undefined;
}
