/** Bodies and answers of the routes that write many records. */
import type { BatchRoute } from '../http/batch-routes.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import type { ResourceRoute } from '../http/resource-routes.ts'
import type { JsonSchema } from '../json.ts'
import { successSchema } from './answers.ts'
import { listOf, objectOf, schemaRef } from './schema.ts'
import { pascal, type TypeNames } from './type-name.ts'

/** Whether a route writes many records, or one by a unique value. */
export function isBatchRoute(route: BoundRoute): route is BatchRoute {
  return 'writes' in route && 'way' in route
}

/** The route of a single action, whose rights, body or answer a batch shares. */
export function asAction(route: BatchRoute, action: 'create' | 'update' | 'delete'): ResourceRoute {
  const { way: _, does: __, by: ___, writes: resource, ...plain } = route
  return { ...plain, resource, action, parent: undefined }
}

/** `batchTickets`, `updateTickets`, `upsertStatus`. */
export function batchId({ does, way, writes }: BatchRoute, names: ReadonlyMap<string, TypeNames>): string {
  if (way === 'unique') return `upsert${names.get(writes.name)?.single ?? ''}`
  return `${way === 'batch' ? 'batch' : `${does[0]}Matching`}${pascal(writes.name)}`
}

const NAME: JsonSchema = { type: ['integer', 'string'] }

/**
 * The outcomes of several records; `schema` is that of one, and with `partial` there are refusals too. A caller who may
 * write a record and not see it gets its id.
 */
export function outcomesOf(schema: JsonSchema): JsonSchema {
  return listOf({ anyOf: [schema, schemaRef('NamedRecord'), schemaRef('Outcome')] })
}

/** Schemas that the batches of all resources share. */
export const BATCH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  RecordNames: listOf(NAME),
  RecordOutcomes: listOf({ anyOf: [NAME, schemaRef('Outcome')] }),
  NamedRecord: objectOf([{ name: 'id', schema: NAME, required: true }]),
  NamedVersion: objectOf([
    { name: 'id', schema: NAME, required: true },
    {
      name: 'if_match',
      schema: { type: 'string', description: 'The ETag of the record that is changed; any other version is left.' },
      required: false,
    },
  ]),
  NamedAnswer: successSchema(schemaRef('NamedRecord')),
}

/** The body of a batch. */
export function batchBody({ does }: BatchRoute, { create, update }: TypeNames): JsonSchema {
  const ids = schemaRef('RecordNames')
  const lists = {
    create: listOf(schemaRef(create)),
    update: listOf({ allOf: [schemaRef('NamedVersion'), schemaRef(update)] }),
    delete: ids,
    restore: ids,
  }
  return {
    type: 'object',
    minProperties: 1,
    properties: Object.fromEntries(does.map((name) => [name, lists[name]])),
    additionalProperties: false,
  }
}

/** The answer of a batch: records, or with `partial` the outcome of each operation. */
export function batchAnswer({ does }: BatchRoute, { outcomes }: TypeNames): JsonSchema {
  const record = schemaRef(outcomes)
  const named = schemaRef('RecordOutcomes')
  const lists = { create: record, update: record, delete: named, restore: record }
  return { type: 'object', properties: Object.fromEntries(does.map((name) => [name, lists[name]])) }
}

/** The answer of the routes by filters. */
export function foundAnswer({ writes: { key } }: BatchRoute): JsonSchema {
  const id = key.type.name === 'integer' ? { type: 'integer' } : key.type.schema(key.options)
  return objectOf([
    { name: 'matched', schema: { type: 'integer', minimum: 0 }, required: true },
    { name: 'ids', schema: { type: 'array', items: id }, required: false },
    { name: 'etags', schema: listOf({ type: 'string' }), required: false },
    { name: 'refused', schema: listOf({ allOf: [schemaRef('NamedRecord'), schemaRef('Outcome')] }), required: false },
  ])
}
