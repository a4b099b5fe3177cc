/** ⇄ Records that a body creates with the record that they belong to: `"lines": [{ … }]`. */
import type { HasMany, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { FieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import { isObject, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { mistake } from '../record/decode.ts'
import type { Execution } from '../run/execution.ts'
import type { Parent } from '../run/parent.ts'
import { type Operation, runTogether } from './batch.ts'

/** The bodies of the records to come, by their relation. */
export type Children = ReadonlyMap<HasMany, readonly JsonObject[]>

/** A body without the lists that create other records, those lists, and what is wrong with them. */
export interface SplitBody {
  readonly own: JsonObject
  readonly children: Children
  readonly errors: Record<string, FieldError[]>
}

/** Takes the lists of a body that create records with theirs. */
export function splitBody({ relations }: Resource, body: JsonObject): SplitBody {
  const lists = [...relations.values()].filter(
    (relation): relation is HasMany =>
      relation.kind === 'has_many' && relation.withParent && Object.hasOwn(body, relation.name),
  )
  const own: Record<string, JsonObject[string]> = { ...body }
  const children = new Map<HasMany, readonly JsonObject[]>()
  const errors: Record<string, FieldError[]> = {}
  for (const relation of lists) {
    const { name } = relation
    const given = body[name] ?? []
    delete own[name]
    if (!Array.isArray(given)) errors[name] = [mistake({ name }, 'wrong_type', 'must be a list')]
    else if (given.length > LIMITS.listItems)
      errors[name] = [mistake({ name }, 'too_many', `must have at most ${LIMITS.listItems} items`)]
    else {
      given.forEach((item, at) => {
        const place = `${name}.${at}`
        if (!isObject(item)) errors[place] = [mistake({ name: place }, 'wrong_type', 'must be an object')]
      })
      const bodies = given.filter(isObject)
      if (bodies.length > 0) children.set(relation, bodies)
    }
  }
  return { own, children, errors }
}

type Create = (inner: Execution, resource: Resource, body: JsonObject, parent: Parent) => Promise<string>

/** Creates them below the record that was just created; throws what is wrong with each, its keys below `lines.1`. */
export async function createChildren(
  inner: Execution,
  resource: Resource,
  id: Id,
  children: Children,
  create: Create,
): Promise<void> {
  const operations = [...children].flatMap(([relation, bodies]): readonly Operation[] => {
    const target = targetOf(inner.catalog, relation)
    const parent: Parent = { relation: relation.by[0]!, resource, lookup: { field: resource.key, value: id } }
    return bodies.map((body, at) => ({
      place: `${relation.name}.${at}`,
      run: (within) => create(within, target, body, parent),
    }))
  })
  if (operations.length > 0) await runTogether(inner, operations)
}
