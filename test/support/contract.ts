/** Holds every answer that a test sees against /openapi.json of the application that gave it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { App } from '../../engine/engine.ts'
import type { JsonSchema } from '../../engine/json.ts'
import { memo } from '../../engine/memo.ts'
import { COUNTED, REFUSALS } from '../../engine/openapi/answers.ts'
import type { Node } from '../../engine/openapi/openapi-document.ts'
import { otherCode } from './sentence-codes.ts'

/** What came back, as far as the contract speaks of it. */
export interface Seen {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Checker {
  readonly operation: (method: string, path: string) => Node | undefined
  readonly validate: (schema: JsonSchema) => ValidateFunction
  readonly resolve: (node: unknown) => Node
}

/** Applications of equal documents share what was compiled; a test file opens its own application each time. */
const byText = new Map<string, Checker>()

/** Asked for a part of a record, or for more than the usual: then properties have their types, and may be others. */
const PROJECTED = /[?&](?:fields|omit|include)=/

/** Headers that every answer of an operation has; the paths for operators are counted by no limit. */
const PROBES = ['/livez', '/readyz', '/metrics']
/** Headers that come with a refusal, by its status. */
const WITH_STATUS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
}

/** What the gate says to a request that it lets in later: nothing has counted it yet. */
const BUSY = 'The service is busy; try again'

/** Answers of the gate, which come before there is an operation: no such path, no such method, too many requests. */
const BEFORE_ROUTES = [400, 404, 405, 408, 413, 429, 431, 500, 503]
const REFUSAL = { $ref: 'document#/components/schemas/Refusal' }

/** Throws, with what is wrong and where, when an answer is not one that the document speaks of. */
export function holdToContract(app: App, method: string, url: string, answered: Seen, sent?: unknown): void {
  if (method === 'OPTIONS') return
  const seen = unexplained(answered)
  const inBody = url.endsWith('/query') && ['fields', 'omit', 'include'].some((key) => key in Object(sent))
  const checker = inBody || PROJECTED.test(url) ? looseCheckerOf(app) : checkerOf(app)
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split('?')
  const fail = (problem: string): never => {
    throw new Error(
      `${method} ${url} answered ${seen.status} against /openapi.json: ${problem}\n${seen.text.slice(0, 600)}`,
    )
  }
  const operation = checker.operation(method === 'HEAD' ? 'get' : method.toLowerCase(), path)
  if (operation === undefined) {
    if (app.routes.some((route) => route.unlisted === true && route.path === path)) return
    if (!BEFORE_ROUTES.includes(seen.status)) fail('there is no such operation')
    if (method !== 'HEAD') judgeBody(checker.validate(REFUSAL), seen, fail)
    return
  }
  const counted = PROBES.includes(path) ? [] : isBusy(seen) ? ['X-Request-Id'] : COUNTED
  const needed = [...counted, ...(PROBES.includes(path) ? [] : [WITH_STATUS[seen.status] ?? []].flat())]
  for (const name of needed) if (seen.headers[name.toLowerCase()] === undefined) fail(`the header ${name} is missing`)
  const responses = operation.responses as Node
  const response = responses[seen.status] ?? (mayRefuse(operation, path, seen.status) ? responses.default : undefined)
  if (response === undefined) fail(`the operation knows ${Object.keys(responses).join(', ')}`)
  judge(checker, checker.resolve(response), method, seen, fail)
}

/** Whether the gate refused a request, as it does where the machine has other work. */
function isBusy({ status, text }: Seen): boolean {
  return status === 503 && text.includes(BUSY)
}

/** An answer without what only those read who may ask why it is so: the document tells nobody of it. */
function unexplained(seen: Seen): Seen {
  if (seen.headers['preference-applied'] !== 'explain') return seen
  const { meta, ...body } = JSON.parse(seen.text)
  const { explain: _, ...rest } = meta
  return { ...seen, text: JSON.stringify({ ...body, meta: rest }) }
}

/** Whether a refusal with a status that the operation does not name itself has a reason there. */
function mayRefuse(operation: Node, path: string, status: number): boolean {
  if (status === 412) return path.endsWith('/batch') || JSON.stringify(operation.parameters ?? []).includes('/IfMatch"')
  if (status === 415) return operation.requestBody !== undefined
  if (status === 404) return /\/[^/]+\/[^/]+/.test(path)
  return status in REFUSALS
}

function judge(checker: Checker, response: Node, method: string, seen: Seen, fail: (problem: string) => never): void {
  for (const [name, node] of Object.entries((response.headers ?? {}) as Node)) {
    const isTried = seen.text.includes('"dry_run":true')
    const isNeeded = checker.resolve(node).required === true || (name === 'ETag' && !isTried)
    if (isNeeded && seen.headers[name.toLowerCase()] === undefined) {
      fail(`the header ${name} is missing`)
    }
  }
  if (method === 'HEAD') return
  const content = response.content as Readonly<Record<string, { readonly schema: JsonSchema }>> | undefined
  if (content === undefined) {
    if (seen.text !== '') fail('there must be no body')
    return
  }
  const type = String(seen.headers['content-type'] ?? '').split(';')[0] ?? ''
  const media = content[type]
  if (media === undefined) fail(`its type is ${type || 'not said'}, not ${Object.keys(content).join(' or ')}`)
  else if (type === 'application/json') judgeBody(checker.validate(media.schema), seen, fail)
  // The document has one schema for all refusals.
  if (type === 'application/json' && seen.status >= 400 && seen.status !== 422 && 'errors' in JSON.parse(seen.text))
    fail('only 422 has errors by field')
  if (seen.status === 422) {
    const other = otherCode(JSON.parse(seen.text))
    if (other !== undefined) fail(other)
  }
}

function judgeBody(validate: ValidateFunction, seen: Seen, fail: (problem: string) => never): void {
  let body: unknown
  try {
    body = JSON.parse(seen.text)
  } catch {
    fail('its body is no JSON')
  }
  if (!validate(body)) fail((validate.errors ?? []).map(sentence).join('; '))
}

function sentence({ instancePath, message, params, keyword }: ErrorObject): string {
  const at = instancePath === '' ? 'the body' : instancePath
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params.additionalProperty ?? params.unevaluatedProperty)
    const hint = /^\/data(\/\d+)?$/.test(at) || name === 'data' ? '' : ' (a route names more of `meta` in its `meta`)'
    return `${at} has "${name}", which the document does not know${at.startsWith('/meta') ? hint : ''}`
  }
  if (keyword === 'type' && at === '/data' && params.type === 'null')
    return '/data must be null, for the route has no `output`'
  return `${at} ${message ?? 'is wrong'}${keyword === 'enum' || keyword === 'const' ? ` ${JSON.stringify(params)}` : ''}`
}

/** Applications of one catalog have one document. */
const checkers = memo((_: App['catalog']): { strict?: Checker; loose?: Checker } => ({}))

function checkerOf(app: App): Checker {
  const known = checkers(app.catalog)
  known.strict ??= strictChecker(JSON.stringify(app.document()))
  return known.strict
}

function strictChecker(text: string): Checker {
  const checker = byText.get(text) ?? checkerFrom(JSON.parse(text) as Node)
  byText.set(text, checker)
  return checker
}

function looseCheckerOf(app: App): Checker {
  const schemas = (text: string): unknown =>
    JSON.parse(text, (key, value) =>
      (key === 'required' && Array.isArray(value)) || key === 'unevaluatedProperties' || key === 'additionalProperties'
        ? undefined
        : value,
    )
  const known = checkers(app.catalog)
  known.loose ??= checkerFrom(schemas(JSON.stringify(app.document())) as Node, false)
  return known.loose
}

function checkerFrom(document: Node, closed = true): Checker {
  const ajv = new Ajv2020({ strict: false, formats: FORMATS, meta: false, validateSchema: false })
  const close = closed ? closerOf(document) : (node: unknown) => node
  ajv.addSchema(close(document) as Node, 'document')
  const paths = Object.entries(document.paths as Readonly<Record<string, Node>>).map(([template, operations]) => ({
    pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
    parameters: template.split('{').length - 1,
    operations,
  }))
  paths.sort((a, b) => a.parameters - b.parameters)
  const find = (path: string) => paths.find(({ pattern }) => pattern.test(path))
  return {
    operation: (method, path) => find(path)?.operations[method] as Node | undefined,
    validate: memo((schema: JsonSchema) => {
      const whole = inDocument(close(schema)) as JsonSchema
      DRAFT.validateSchema(whole, true)
      return ajv.compile(whole)
    }),
    resolve: (node) => {
      const target = Reflect.get(Object(node), '$ref')
      if (typeof target !== 'string') return node as Node
      return target
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => Reflect.get(Object(at), key), document) as Node
    },
  }
}

/** What the engine itself takes for these; an address may hold letters that the usual expression does not know. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  uri: /^https?:\/\//,
  'uri-reference': true as const,
  binary: true as const,
}

/** Judges the schemas themselves; the one that judges answers would compile the rules for schemas again for each document. */
const DRAFT = new Ajv2020({ strict: false, formats: FORMATS })

/**
 * Schemas refuse what they do not name, so that an answer with more than the document says is found. A schema is closed
 * where it is used, because one that others extend by `allOf` knows a part of their properties only.
 */
function closerOf(document: Node): (node: unknown) => unknown {
  const schemas = Reflect.get(Object(document.components), 'schemas') as Readonly<Record<string, object>>
  const names = (node: object): boolean => {
    if ('properties' in node || 'allOf' in node) return true
    const target = String(Reflect.get(node, '$ref') ?? '')
    const schema = schemas[target.replace('#/components/schemas/', '')]
    return schema !== undefined && names(schema)
  }
  const close = (node: unknown, open: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => close(item, open))
    if (typeof node !== 'object' || node === null) return node
    const entries = Object.entries(node).map(([key, value]) => {
      if (node === document.components && key === 'schemas') return [key, mapped(value, (one) => close(one, true))]
      if (key === 'properties') return [key, mapped(value, (one) => close(one, false))]
      return [key, close(value, key === 'allOf')]
    })
    const shut = open || 'additionalProperties' in node || !names(node) ? {} : { unevaluatedProperties: false }
    return { ...Object.fromEntries(entries), ...shut }
  }
  return (node) => close(node, false)
}

function mapped(object: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

function inDocument(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inDocument)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `document${value}` : inDocument(value),
    ]),
  )
}
