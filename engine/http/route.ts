/** Routes as data: what a path and method do, who may, and what comes in and goes out. */
import type { Readable } from 'node:stream'
import type { PluginContext } from '../action/context.ts'
import type { Access } from '../catalog/catalog.ts'
import type { Transaction } from '../database/database.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import type { Json, JsonObject, JsonSchema, JsonText } from '../json.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a handler answers; http/ makes the envelope. */
export interface Reply {
  readonly status?: number
  /** A value to serialize, or JSON made already; absent and null both give `data: null`. */
  readonly data?: unknown | JsonText
  readonly message?: string
  /** Merged into `meta`; a JsonText value is placed as it is. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** The entity tag of `data`, without quotes; gives ETag, If-None-Match and 304. */
  readonly etag?: string
  /** Earlier names that the work found in what was sent, such as titles of a file: told and counted as those of a body are. */
  readonly earlier?: { readonly resource: string; readonly names: readonly string[] } | undefined
  /** Instead of an envelope: a body of another type (CSV, a file, a page). */
  readonly raw?: { readonly type: string; readonly body: string | Buffer | Readable }
}

/** One file of a multipart body; the temporary file at `path` is gone once the answer is made. */
export interface UploadedFile {
  /** The name of its part. */
  readonly part: string
  /** As the client called it, never to be used as a path. */
  readonly name: string
  /** As the client declared it, in lower case; application/octet-stream when it did not. */
  readonly type: string
  readonly bytes: number
  readonly path: string
}

/** What a multipart route takes at most; the defaults are those of limits.ts. */
export interface UploadLimits {
  /** Bytes of all files together. */
  readonly bytes?: number
  readonly files?: number
}

export interface RouteContext extends PluginContext {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The query decoded by the route's `query`; a parameter that was not sent, or sent empty, is absent. */
  readonly parameters: Readonly<Record<string, Json>>
  /** The decoded body: by `input` where the route declares it, else as sent. */
  readonly body: JsonObject
  /** The files of a multipart body, in the order sent; empty on every other route. */
  readonly files: readonly UploadedFile[]
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The caller's address: the socket's, or the proxy's word as TRUST_PROXY allows. */
  readonly ip: string
  /** Runs in one transaction; `records` given inside belong to it. */
  transaction<T>(work: (context: RouteContext & { readonly transaction: Transaction }) => Promise<T>): Promise<T>
  /**
   * Does all that is to last in one transaction, which keeps the reply for the request's Idempotency-Key too: a retry
   * gets that reply if and only if the work was committed. For routes that say `once`; return what it gives. Throws for
   * the retry of what was done before, and `work` may run again when another request was faster.
   */
  once(work: (context: RouteContext & { readonly transaction: Transaction }) => Promise<Reply>): Promise<Reply>
  afterCommit(work: () => Promise<void> | void): void
}

export interface Route {
  readonly method: Method
  /** Below the prefix, `/users/pending/{id}/approve`; with `absolute`, from the root. */
  readonly path: string
  readonly absolute?: boolean
  /** Shown in the reference and in explain. */
  readonly summary: string
  /** Group in the reference, e.g. `Tickets`. */
  readonly tag?: string
  /** Alternatives; `public` needs no token. */
  readonly access: 'public' | readonly Access[]
  /** Whether restricted actors (awaiting approval) may call it. */
  readonly openToRestricted?: boolean
  /** Which rate-limit bucket counts it: `general` (default) or `auth`. */
  readonly bucket?: 'general' | 'auth'
  /** Which body it takes; default `json` for POST, PUT and PATCH, `none` otherwise. */
  readonly body?: 'none' | 'json' | 'multipart'
  /** Only for `multipart`. */
  readonly upload?: UploadLimits
  /** The body's fields in the words of the YAML; unknown keys are 422. */
  readonly input?: Readonly<Record<string, FieldDefinition>>
  /** The query's parameters; unknown ones are 422. */
  readonly query?: Readonly<Record<string, FieldDefinition>>
  /** The resource whose filters, search and sort the query takes too; the handler judges them, and what is unknown. */
  readonly filters?: string
  /**
   * Whether all that the handler does and that lasts is done by `context.once`, so that a request with an
   * Idempotency-Key may be done again when its first outcome is unknown; default false: then it never is.
   */
  readonly once?: boolean
  /** Success status, default 200. */
  readonly status?: number
  /** More than the summary has room for, in Markdown. */
  readonly description?: string
  /**
   * JSON Schema of `data` in the answer; absent: `data` is null. `{ $ref: '#/resources/users' }` stands for a record
   * as it is answered on its own, `#/resources/users/list` as in a list.
   */
  readonly output?: JsonSchema
  /** JSON Schema of `data` where the answer is 202, because a job goes on with it; absent: it never is. */
  readonly accepted?: JsonSchema
  /** JSON Schemas of what the answer's `meta` may hold beside timestamp and version; `pagination` is known. */
  readonly meta?: Readonly<Record<string, JsonSchema>>
  /** Media types of the answer where it is no envelope (`text/csv`); beside `output`, it may be either. */
  readonly produces?: readonly string[]
  /** Whether answers may be as long as a whole table, like an export: a few such are sent at a time, and others get 503. */
  readonly large?: boolean
  /** Whether answers carry an entity tag, so that If-None-Match is understood. */
  readonly tagged?: boolean
  /** Whether the handler heeds If-Match, by `records().update`: the reference says so. */
  readonly versioned?: boolean
  readonly handle: (context: RouteContext) => Promise<Reply>
}

/** Whether a route refuses those who present no good token. */
export function needsToken(route: Pick<Route, 'access'>): boolean {
  return route.access !== 'public' && !route.access.some((access) => access.kind === 'anyone')
}
