/** Requests made from an OpenAPI document: valid ones, ones with a single mistake, and hostile ones; the same seed makes the same. */
import { createHash } from 'node:crypto'
import type { Node } from '../../engine/openapi/openapi-document.ts'
import { methodsOf, resolved } from '../support/document.ts'

/** A number from 0 to 1, less than 1. */
export type Random = () => number

/** Numbers that are always the same for a seed. */
export function seeded(seed: number): Random {
  let count = 0
  return () => {
    count += 1
    return createHash('sha256').update(`${seed} ${count}`).digest().readUIntBE(0, 6) / 2 ** 48
  }
}

export type Intent = 'valid' | 'nearly' | 'hostile'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Node
}

/** One operation of the document. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** As the document has it, `/api/v1/tickets/{id}`. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** The schema of a JSON body; undefined where it takes none. */
  readonly body: Node | undefined
  readonly multipart: boolean
}

/** A request ready to be sent. */
export interface Made {
  readonly operation: Operation
  readonly intent: Intent
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

const at = (node: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => Reflect.get(Object(value), key), node)

/** The operations of a document, with the references of their parameters followed. */
export function operationsOf(document: Node): readonly Operation[] {
  return Object.entries(document.paths as Readonly<Record<string, Node>>).flatMap(([path, item]) =>
    methodsOf(item).map(([method, operation]) => {
      const shared = (item.parameters ?? []) as readonly Node[]
      const own = (operation.parameters ?? []) as readonly Node[]
      const content = at(resolved(document, operation.requestBody), 'content')
      return {
        id: String(operation.operationId),
        method: method.toUpperCase(),
        path,
        parameters: [...shared, ...own].map((one) => parameterOf(resolved(document, one))),
        body: at(content, 'application/json', 'schema') as Node | undefined,
        multipart: at(content, 'multipart/form-data') !== undefined,
      }
    }),
  )
}

function parameterOf({ name, in: place, required, schema }: Node): Parameter {
  return {
    name: String(name),
    in: place as Parameter['in'],
    required: required === true,
    schema: (schema ?? {}) as Node,
  }
}

const WORDS = ['printer', 'smoke', 'invoice', 'Zoë', '日本語', '🖨', 'a b', '%', '_', '\\', '"', "'", '<b>', ',', '0']

const HOSTILE: readonly unknown[] = [
  "' or 1=1; drop table tickets; --",
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '__proto__',
  '{{ constructor }}',
  '%00',
  'a'.repeat(70_000),
  '9'.repeat(400),
  '1e400',
  '-0',
  -1,
  2 ** 53,
  1e308,
  0.1,
  true,
  null,
  [],
  [[[[[[[[1]]]]]]]],
  {},
  { constructor: { prototype: 1 } },
  { $gt: '' },
]

const HOSTILE_BODIES: readonly string[] = [
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"a":1,"a":2}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `{"subject":"${'x'.repeat(2_000_000)}"}`,
  '{"__proto__":{"x":1},"subject":"a","details":"b"}',
  '\ufeff{}',
]

/** Makes requests; `ids` gives a record's id for the parameter of a path. */
export class Generator {
  readonly #document: Node
  readonly #random: Random
  readonly #ids: (path: string) => string

  constructor(document: Node, random: Random, ids: (path: string) => string) {
    this.#document = document
    this.#random = random
    this.#ids = ids
  }

  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)]!
  }

  chance(of: number): boolean {
    return this.#random() < of
  }

  /** A request of an operation. */
  make(operation: Operation, intent: Intent): Made {
    const values = operation.parameters.flatMap((parameter) => {
      const wanted = parameter.in === 'path' || parameter.required || this.chance(0.15)
      return wanted ? [{ parameter, value: this.#parameter(operation, parameter) }] : []
    })
    const body = operation.body === undefined ? undefined : this.value(operation.body)
    const spoilt = intent === 'valid' ? { values, body } : this.#spoil(operation, values, body, intent)
    return this.#compose(operation, intent, spoilt.values, spoilt.body)
  }

  #parameter(operation: Operation, { in: place, name, schema }: Parameter): unknown {
    if (place === 'path') return /^(id|ticket|.*_id)$/.test(name) ? this.#ids(operation.path) : this.value(schema)
    return this.value(schema)
  }

  /** Puts one thing, or for a hostile request some, in the place of what is right. */
  #spoil(
    operation: Operation,
    values: readonly { readonly parameter: Parameter; readonly value: unknown }[],
    body: unknown,
    intent: Intent,
  ): { readonly values: typeof values; readonly body: unknown } {
    const bad = (): unknown => (intent === 'nearly' ? this.one([-1, '', 'x', null, true, [], {}]) : this.one(HOSTILE))
    const fields = typeof body === 'object' && body !== null ? Object.keys(body) : []
    if (fields.length > 0 && (values.length === 0 || this.chance(0.6))) {
      const wrong = { ...(body as object), [this.one(fields)]: bad() }
      return { values, body: this.chance(0.1) ? { ...wrong, [`unknown_${operation.id}`]: bad() } : wrong }
    }
    if (values.length === 0) return { values, body }
    const chosen = this.one(values)
    return { values: values.map((one) => (one === chosen ? { ...one, value: bad() } : one)), body }
  }

  #compose(
    operation: Operation,
    intent: Intent,
    values: readonly { readonly parameter: Parameter; readonly value: unknown }[],
    body: unknown,
  ): Made {
    const text = (value: unknown): string => {
      const whole = typeof value === 'object' ? JSON.stringify(value) : String(value)
      // fetch itself refuses half a surrogate pair.
      return encodeURIComponent(whole.slice(0, 3_000).replace(/[\ud800-\udfff]/g, '\ufffd'))
    }
    let path = operation.path
    const query: string[] = []
    const headers: Record<string, string> = {}
    for (const { parameter, value } of values) {
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, text(value) || '0')
      else if (parameter.in === 'query') query.push(`${encodeURIComponent(parameter.name)}=${text(value)}`)
      else headers[parameter.name] = String(value).replace(/[^\x20-\x7e]/g, '') || '*'
    }
    const whole = path + (query.length === 0 ? '' : `?${query.join('&')}`)
    if (operation.multipart) return { operation, intent, path: whole, ...this.#form(headers, intent) }
    if (operation.body === undefined) return { operation, intent, path: whole, headers, body: undefined }
    headers['content-type'] = intent === 'hostile' && this.chance(0.05) ? 'text/plain' : 'application/json'
    const sent = intent === 'hostile' && this.chance(0.1) ? this.one(HOSTILE_BODIES) : JSON.stringify(body)
    return { operation, intent, path: whole, headers, body: sent }
  }

  #form(headers: Readonly<Record<string, string>>, intent: Intent): Pick<Made, 'headers' | 'body'> {
    const line = intent === 'valid' ? 'Name,Subject\nOne,Two\n' : String(this.one(HOSTILE))
    const name = intent === 'hostile' ? this.one(['../x.csv', 'a.exe', '', 'con', 'x'.repeat(500)]) : 'a.csv'
    const end = intent !== 'valid' && this.chance(0.3) ? '' : '\r\n--b--\r\n'
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n${line}${end}`
    return { headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' }, body: Buffer.from(body) }
  }

  /** A value that a schema takes, as far as can be told from it. */
  value(node: unknown, depth = 0): unknown {
    const schema = resolved(this.#document, node)
    if (schema.const !== undefined) return schema.const
    if (Array.isArray(schema.enum)) return this.one(schema.enum)
    const branches = (schema.anyOf ?? schema.oneOf) as readonly unknown[] | undefined
    if (branches !== undefined) return this.value(this.one(branches), depth)
    if (Array.isArray(schema.allOf)) {
      return Object.assign({}, ...schema.allOf.map((part) => this.value(part, depth)), this.#object(schema, depth))
    }
    if (Array.isArray(schema.examples) && this.chance(0.5)) return this.one(schema.examples)
    const type = Array.isArray(schema.type) ? this.one(schema.type) : schema.type
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return this.chance(0.5)
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'array':
        return depth > 3
          ? []
          : Array.from({ length: Math.floor(this.#random() * 3) }, () => this.value(schema.items ?? {}, depth + 1))
      case 'object':
        return this.#object(schema, depth)
      default:
        return this.#text(schema)
    }
  }

  #number({ minimum = 0, maximum = 1_000 }: Node): number {
    const [least, most] = [Number(minimum), Math.min(Number(maximum), Number(minimum) + 1_000)]
    return least + Math.floor(this.#random() * (most - least + 1))
  }

  #object({ properties = {}, required = [] }: Node, depth: number): Record<string, unknown> {
    const names = Object.keys(properties as object).filter(
      (name) => (required as readonly string[]).includes(name) || (depth < 3 && this.chance(0.4)),
    )
    return Object.fromEntries(names.map((name) => [name, this.value(at(properties, name), depth + 1)]))
  }

  #text({ format, maxLength = 60, minLength = 0 }: Node): string {
    const number = Math.floor(this.#random() * 1e9)
    switch (format) {
      case 'email':
        return `p${number}@people.example`
      case 'date':
        return `20${10 + (number % 40)}-0${1 + (number % 9)}-1${number % 10}`
      case 'date-time':
        return new Date(1.6e12 + number * 100).toISOString()
      case 'uri':
        return `https://example.com/${number}`
    }
    let text = this.one(WORDS)
    while (text.length < Number(minLength) || this.chance(0.5)) text += ` ${this.one(WORDS)}`
    return text.slice(0, Math.max(1, Number(maxLength)))
  }
}
