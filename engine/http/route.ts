/**
 * Routes as data: path, method, access, input and output. References in `output` name resources: `#/resources/users`.
 */
import type { Readable } from 'node:stream'
import type { Access } from '../catalog/catalog.ts'
import type { Transaction } from '../database/database.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import type { ApiError } from '../error.ts'
import type { Json, JsonObject, JsonSchema, JsonText } from '../json.ts'
import type { PluginContext } from '../run/context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The reply of a handler; http/ makes the envelope. */
export interface Reply {
  readonly status?: number
  /** A value, or finished JSON; absent and null both give `data: null`. */
  readonly data?: unknown | JsonText
  readonly message?: string
  /** Merged into `meta`; a JsonText value is placed as it is. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Set-Cookie headers, where there are several; such an answer is not kept for an Idempotency-Key. */
  readonly cookies?: readonly string[]
  /** The entity tag of `data`, without quotes; gives ETag, If-None-Match and 304. */
  readonly etag?: string
  /**
   * Earlier names that the handler found in its input, such as titles of a file; they are counted like those of a body.
   */
  readonly earlier?: { readonly resource: string; readonly names: readonly string[] } | undefined
  /** A body of another type instead of the envelope (CSV, a file, a page). */
  readonly raw?: { readonly type: string; readonly body: string | Buffer | Readable }
}

/** A file of a multipart body; its temporary file at `path` is removed once the answer is made. */
export interface UploadedFile {
  /** The name of its part. */
  readonly part: string
  /** The client's name for it, never to be used as a path. */
  readonly name: string
  /** The client's type for it, in lower case; application/octet-stream without one. */
  readonly type: string
  readonly bytes: number
  readonly path: string
}

/** A body as it was sent, after decompression. */
export interface RawBody {
  /** Its Content-Type as it was sent; empty without a body. */
  readonly type: string
  readonly bytes: Buffer
}

/** What a route takes as its body: nothing, JSON, a form as browsers encode it, a form with files, or any bytes. */
export const BODY_KINDS = ['none', 'json', 'form', 'multipart', 'raw'] as const
export type BodyKind = (typeof BODY_KINDS)[number]

/** The limits of a multipart or raw route; the defaults are those of limits.ts. */
export interface UploadLimits {
  /** Bytes of all files together, or of a raw body. */
  readonly bytes?: number
  readonly files?: number
}

export interface RouteContext extends PluginContext {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The query decoded by the route's `query`, without parameters that are missing or empty. */
  readonly parameters: Readonly<Record<string, Json>>
  /** The body decoded by `input`, or as sent without one. */
  readonly body: JsonObject
  /** The files of a multipart body, in the order sent; empty on every other route. */
  readonly files: readonly UploadedFile[]
  /** The body of a route with `body: 'raw'`; undefined on every other route. */
  readonly raw: RawBody | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address of the caller: the socket's, or the one from the proxy as TRUST_PROXY allows. */
  readonly ip: string
  /** Runs in one transaction; its `records` belong to that. */
  transaction<T>(work: (context: RouteContext & { readonly transaction: Transaction }) => Promise<T>): Promise<T>
  /**
   * Does all lasting work in one transaction, which also keeps the reply for the request's Idempotency-Key: a retry
   * gets that reply if and only if the work was committed. For routes with `once: true`, which return its result.
   * Throws for the retry of work that was done, and may run `work` again when another request was faster.
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
  /**
   * Alternatives; `public` needs no token; `explain` is for callers with the permission that app.yaml names under `explain`,
   * and where it names none, there is no such route. The document that everybody reads leaves it out.
   */
  readonly access: 'public' | 'explain' | readonly Access[]
  /**
   * Whether it is there only while `start --watch` serves on this machine alone and not in production; elsewhere there is
   * no such route. It belongs to no document of the interface.
   */
  readonly developing?: true
  /** Whether restricted actors (awaiting approval) may call it. */
  readonly openToRestricted?: boolean
  /** The rate-limit bucket that counts it: `general` (default) or `auth`. */
  readonly bucket?: 'general' | 'auth'
  /** The kind of body that it takes; default `json` for POST, PUT and PATCH, `none` otherwise. */
  readonly body?: BodyKind
  /** Only for `multipart` and `raw`. */
  readonly upload?: UploadLimits
  /** The body's fields in the words of the YAML; unknown keys are 422. */
  readonly input?: Readonly<Record<string, FieldDefinition>>
  /** The query's parameters; unknown ones are 422. */
  readonly query?: Readonly<Record<string, FieldDefinition>>
  /**
   * The resource whose filters, search and sort the query takes too; the handler judges them and unknown parameters.
   */
  readonly filters?: string
  /**
   * Whether `context.once` does all lasting work of the handler, so that a request with an Idempotency-Key may run
   * again when its first outcome is unknown; by default it never does.
   */
  readonly once?: boolean
  /**
   * With `once`: whether `dry_run=true` does the work of `context.once` in a transaction that is taken back, and answers
   * 200 with what it gave.
   */
  readonly dryRun?: boolean
  /** Success status, default 200. */
  readonly status?: number
  /** A longer description, in Markdown. */
  readonly description?: string
  /**
   * JSON Schema of `data`; absent: `data` is null. `{ $ref: '#/resources/users' }` is a record as it is returned alone,
   * `#/resources/users/list` as in a list.
   */
  readonly output?: JsonSchema
  /** JSON Schema of `data` of a 202 answer, where a job continues the work; absent: there is none. */
  readonly accepted?: JsonSchema
  /** JSON Schemas of further keys of `meta`, next to timestamp and version; `pagination` is known. */
  readonly meta?: Readonly<Record<string, JsonSchema>>
  /** Media types of an answer without an envelope (`text/csv`); with `output` it may be either. */
  readonly produces?: readonly string[]
  /** Statuses of refusals that are answered in a type of `produces`, such as pages that say what to do. */
  readonly refusals?: readonly number[]
  /**
   * How refusals are written, also those before the handler begins, where the clients of another standard read them; by
   * default they are in the envelope.
   */
  readonly refuse?: (error: ApiError) => { readonly status?: number; readonly type: string; readonly body: string }
  /** Whether answers may be as long as a whole table, like an export: only a few are sent at a time, others get 503. */
  readonly large?: boolean
  /** Whether answers carry an entity tag, so that If-None-Match is understood. */
  readonly tagged?: boolean
  /** Whether the handler heeds If-Match, by `records().update`. */
  readonly versioned?: boolean
  readonly handle: (context: RouteContext) => Promise<Reply>
}

/** Whether a route refuses callers without a valid token. */
export function needsToken(route: { readonly access: 'public' | readonly Access[] }): boolean {
  return route.access !== 'public' && !route.access.some((access) => access.kind === 'anyone')
}

/** The kind of body that a route takes. */
export function bodyKind({ body, method }: Pick<Route, 'body' | 'method'>): BodyKind {
  return body ?? (method === 'GET' || method === 'DELETE' ? 'none' : 'json')
}

const RECORD = /^#\/resources\/([A-Za-z]\w*)(\/list)?$/

/** The resource of a reference, and whether it means a record of a list; undefined for other references. */
export function recordReference(target: string): { readonly resource: string; readonly listed: boolean } | undefined {
  const [, resource, list] = RECORD.exec(target) ?? []
  return resource === undefined ? undefined : { resource, listed: list !== undefined }
}

/** Every resource that a route names: in its output, its meta, and as `filters`. */
export function resourcesNamed(route: Pick<Route, 'output' | 'accepted' | 'meta' | 'filters'>): ReadonlySet<string> {
  const found = new Set<string>(route.filters === undefined ? [] : [route.filters])
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      const reference = key === '$ref' && typeof value === 'string' ? recordReference(value) : undefined
      if (reference !== undefined) found.add(reference.resource)
      else look(value)
    }
  }
  look(route.output)
  look(route.accepted)
  look(route.meta)
  return found
}
