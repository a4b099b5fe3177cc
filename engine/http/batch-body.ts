/** The body of a batch: the operations that it asks for, and the answer with their outcomes. */

import { type Lookup, lookupOf } from '../ask/lookup.ts'
import type { Resource } from '../catalog/catalog.ts'
import type { Translate } from '../catalog/sentences.ts'
import { type ApiError, invalid } from '../error.ts'
import { FieldError, fieldError, fieldErrorCodes, firstErrors } from '../field-error.ts'
import type { Id } from '../id.ts'
import { entityTag, isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { mistake, unknownKey } from '../record/decode.ts'
import type { Execution } from '../run/execution.ts'
import { type AtOnce, type Operation, type Outcome, runEach, runTogether } from '../write/batch.ts'
import { createRecord } from '../write/create.ts'
import { createTogether } from '../write/create-together.ts'
import { deleteRecord, restoreRecord } from '../write/remove.ts'
import { updateRecord } from '../write/update.ts'

/** The operations of a batch, in the order in which they run. */
export const OPERATIONS = ['create', 'update', 'delete', 'restore'] as const

export type OperationName = (typeof OPERATIONS)[number]

/** The number of operations in a body, before it is judged. */
export function countOperations(body: JsonObject): number {
  return OPERATIONS.reduce((sum, name) => sum + lengthOf(body[name]), 0)
}

function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? list.length : 0
}

interface NamedOperation extends Operation {
  readonly name: OperationName
  /** The name that the request gives the record; undefined for a new one. */
  readonly id: Json
  /** The values of a new record. */
  readonly created?: { readonly resource: Resource; readonly body: JsonObject }
}

/** The operations of a body, in order; throws validation_failed where they are no lists. */
export function readOperations(
  resource: Resource,
  does: readonly OperationName[],
  body: JsonObject,
): readonly NamedOperation[] {
  const errors: Record<string, FieldError[]> = {}
  for (const key of Object.keys(body).slice(0, LIMITS.bodyErrors)) {
    if (does.some((name) => name === key)) continue
    const name = key.slice(0, LIMITS.unknownKeyLength)
    errors[name] = [unknownKey(name, does)]
  }
  const operations = does.flatMap((name): readonly NamedOperation[] => {
    const given = body[name]
    if (given === undefined) return []
    if (!Array.isArray(given)) {
      errors[name] = [mistake({ name }, 'wrong_type', 'must be a list')]
      return []
    }
    return given.flatMap((entry, at) => {
      const place = `${name}.${at}`
      const read = operationOf(resource, name, entry, place)
      if (!(read instanceof FieldError)) return [{ ...read, name, place }]
      if (Object.keys(errors).length < LIMITS.bodyErrors) errors[place] = [read]
      return []
    })
  })
  if (operations.length > LIMITS.batchOperations)
    errors.batch = [fieldError('too_many', `The batch must have at most ${LIMITS.batchOperations} items`)]
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (operations.length === 0) throw invalid({ batch: [fieldError('too_few', 'The batch must have at least 1 item')] })
  return operations
}

/** The operation of one entry, or its mistake. */
function operationOf(
  resource: Resource,
  name: OperationName,
  entry: Json,
  place: string,
): Pick<NamedOperation, 'id' | 'run' | 'created'> | FieldError {
  if (name === 'create')
    return isObject(entry)
      ? { id: null, run: (inner) => createRecord(inner, resource, entry), created: { resource, body: entry } }
      : mistake({ name: place }, 'wrong_type', 'must be an object')
  const { id, ...rest } = isObject(entry) ? entry : { id: entry }
  if (typeof id !== 'number' && typeof id !== 'string')
    return name === 'update'
      ? mistake({ name: place }, 'wrong_type', 'must be an object with the id of the record')
      : mistake({ name: place }, 'invalid', 'must be the id of a record')
  // Read when it runs: a text that names no record is refused like a record that does not exist.
  const lookup = ({ actor }: Execution) => lookupOf(resource, id, actor)
  if (name === 'update')
    return isObject(entry)
      ? updateOf(resource, { id, place }, rest, lookup)
      : mistake({ name: place }, 'wrong_type', 'must be an object with the id of the record')
  if (isObject(entry)) return mistake({ name: place }, 'invalid', 'must be the id of a record')
  if (name === 'restore') return { id, run: (inner) => restoreRecord(inner, resource, lookup(inner)) }
  return {
    id,
    run: async (inner) => {
      await deleteRecord(inner, resource, lookup(inner))
      return undefined
    },
  }
}

/** A change of one record; `if_match` names the version that is changed, unless a field of the resource has this name. */
function updateOf(
  resource: Resource,
  { id, place }: { readonly id: Json; readonly place: string },
  rest: JsonObject,
  lookup: (inner: Execution) => Lookup,
): Pick<NamedOperation, 'id' | 'run'> | FieldError {
  const { if_match: said, ...others } = rest
  const [ifMatch, body] = resource.fields.has('if_match') ? [undefined, rest] : [said, others]
  if (ifMatch !== undefined && typeof ifMatch !== 'string')
    return mistake({ name: `${place}.if_match` }, 'invalid', 'must be the ETag of the record')
  return { id, run: (inner) => updateRecord(inner, resource, lookup(inner), body, { ifMatch }) }
}

/** The creations come first, in one statement where no record needs one of its own. */
function atOnce(operations: readonly NamedOperation[]): AtOnce {
  const bodies = operations.flatMap(({ created }) => (created === undefined ? [] : [created]))
  const [first] = bodies
  if (first === undefined || bodies.length < 2) return async () => []
  return (inner) => createTogether(inner, first.resource, bodies)
}

/** The answer where all succeed: the records by operation; deleted ones by the names in the request. */
export async function doAll(execution: Execution, operations: readonly NamedOperation[]): Promise<string> {
  const texts = await runTogether(execution, operations, atOnce(operations))
  return grouped(
    operations,
    texts.map((text, at) => text ?? JSON.stringify(operations[at]?.id)),
  )
}

/** The answer of a partial batch: for each operation its status, and its record or its mistakes. */
export async function doEach(
  execution: Execution,
  operations: readonly NamedOperation[],
  say: Translate | undefined,
): Promise<string> {
  const outcomes = await runEach(execution, operations, atOnce(operations))
  let left: number = LIMITS.bodyErrors
  const texts = outcomes.map((outcome, at) => {
    if ('text' in outcome) return outcomeText(operations[at]?.name, outcome.text)
    const { text, mistakes } = refusedText(outcome.error, left, say)
    left = Math.max(0, left - mistakes)
    return text
  })
  return grouped(operations, texts)
}

/** The answer of a partial write by a filter: the records that were written, and the refusals of the others. */
export function foundText(found: readonly Id[], outcomes: readonly Outcome[], say: Translate | undefined): string {
  let left: number = LIMITS.bodyErrors
  const ids = found.filter((_, at) => 'text' in outcomes[at]!)
  const texts = outcomes.flatMap((outcome) => ('text' in outcome && outcome.text !== undefined ? [outcome.text] : []))
  const etags = texts.length === 0 ? '' : `"etags":${JSON.stringify(texts.map(tagOf))},`
  const refused = outcomes.flatMap((outcome, at) => {
    if ('text' in outcome) return []
    const { text, mistakes } = refusedText(outcome.error, left, say)
    left = Math.max(0, left - mistakes)
    return [`{"id":${JSON.stringify(found[at])},${text.slice(1)}`]
  })
  return `{"matched":${found.length},"ids":${JSON.stringify(ids)},${etags}"refused":[${refused.join(',')}]}`
}

/** The ETag that an answer with this record alone has. */
function tagOf(text: string): string {
  return `"${entityTag(text)}"`
}

function outcomeText(name: OperationName | undefined, text: string | undefined): string {
  const etag = text === undefined ? '' : `,"etag":${JSON.stringify(tagOf(text))}`
  return `{"status":${name === 'create' ? 201 : 200},"data":${text ?? 'null'}${etag}}`
}

/** The answer to a refused operation, with at most `most` of its mistakes and their number. */
function refusedText(error: ApiError, most: number, say: Translate | undefined) {
  const { code, message, params, status } = error.translated(say)
  if (params.errors === undefined) return { text: JSON.stringify({ status, code, message }), mistakes: 0 }
  const { told, total } = firstErrors(params.errors, most)
  const errors = { errors: told, error_codes: fieldErrorCodes(told) }
  const count = told === params.errors ? {} : { errors_total: total }
  return { text: JSON.stringify({ status, code, message, ...errors, ...count }), mistakes: total }
}

function grouped(operations: readonly NamedOperation[], texts: readonly string[]): string {
  const lists = OPERATIONS.flatMap((name) => {
    const own = texts.filter((_, at) => operations[at]?.name === name)
    return own.length === 0 ? [] : [`"${name}":[${own.join(',')}]`]
  })
  return `{${lists.join(',')}}`
}
