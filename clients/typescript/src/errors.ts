/**
 * What can go wrong. The service answers errors as problem documents (RFC 9457), which become `ProblemError`. Programs branch on
 * `status` or `code`, which docs/problems.md lists; `detail` is for people.
 */

export interface Fault {
  field: string;
  reason: string;
}

/** Base of the errors of this package. */
export class AnnalsError extends Error {
  override name = "AnnalsError";
}

/** The service did not answer: it is not running, not at this address, or the time was over. */
export class UnreachableError extends AnnalsError {
  override name = "UnreachableError";
}

/** The service answered with an error. */
export class ProblemError extends AnnalsError {
  override name = "ProblemError";
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly faults: Fault[];
  readonly requestId: string;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, retryAfter?: number) {
    const fields = members(body);
    const code = String(fields["code"] ?? "");
    const detail = String(fields["detail"] ?? fields["title"] ?? `status ${status}`);
    super(code ? `${status} ${code}: ${detail}` : `${status}: ${detail}`);
    [this.status, this.code, this.detail, this.retryAfter] = [status, code, detail, retryAfter];
    this.faults = (fields["faults"] as Fault[] | undefined) ?? [];
    this.requestId = String(fields["request_id"] ?? "");
  }
}

/** Returns whether an error says that there is no such thing, or that the key may not use it. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 404;
}

/** Returns the members of a problem. The interfaces of other programs use other shapes, with the same words. */
function members(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null) return { detail: String(body).trim().slice(0, 500) };
  const fields = body as Record<string, unknown>;
  const error = fields["error"];
  if (typeof error !== "object" || error === null) return fields;
  return { code: fields["code"], detail: (error as Record<string, unknown>)["message"] };
}
