/** ⇄ Keys of a body that cannot be written, read-only fields and embedded records: accepted when sent back as they are read, refused otherwise. */

import { isDeepStrictEqual } from 'node:util'
import { readable } from '../ask/policy.ts'
import type { Catalog, Field, Relation, Resource } from '../catalog/catalog.ts'
import { isStored, targetOf } from '../catalog/stored.ts'
import type { FieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { type FieldValues, isWritable, mistake } from '../record/decode.ts'
import type { Execution } from '../run/execution.ts'
import { readBack } from '../run/read-back.ts'

type Errors = Record<string, FieldError[]>

/** On create there is no record to send back, so only three things are accepted: nothing, the default, and what rules `set` anyway. */
export function refusedOnCreate(
  catalog: Catalog,
  resource: Resource,
  sent: Readonly<FieldValues>,
  set: Readonly<FieldValues>,
): Errors {
  const errors: Errors = {}
  for (const [key, value] of Object.entries(sent)) {
    const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    const filled = Object.hasOwn(set, key) ? set[key] : resource.fields.get(key)?.default
    if (empty || isDeepStrictEqual(value, filled)) continue
    errors[key] = [unwritableKey(catalog, resource, key, 'cannot be written')]
  }
  return errors
}

/** On update a value is accepted as it is read, so that a client can read a record, edit it and send all of it back. */
export async function refusedOnUpdate(
  around: Execution,
  resource: Resource,
  sent: Readonly<FieldValues>,
  current: { readonly id: Id; readonly seen: boolean; readonly record: Readonly<FieldValues> },
): Promise<Errors> {
  const errors: Errors = {}
  let answer: Readonly<FieldValues> | undefined
  for (const [key, value] of Object.entries(sent)) {
    const field = resource.fields.get(key)
    if (field === undefined || !isStored(field)) {
      answer ??= JSON.parse(await readBack(around, resource, current.id, current.seen)) as Readonly<FieldValues>
      if (isDeepStrictEqual(value, answer[key]) || shownInListsOnly(resource, key)) continue
    } else if (current.seen && readable(field, around.actor) && field.show !== 'never') {
      if (isAsStored(resource, field, value, current.record[key] ?? null)) continue
    }
    errors[key] = [unwritableKey(around.catalog, resource, key, 'cannot be written and is not what is stored')]
  }
  return errors
}

function shownInListsOnly(resource: Resource, key: string): boolean {
  return (resource.fields.get(key) ?? resource.relations.get(key))?.show === 'list'
}

function isAsStored(resource: Resource, field: Field, value: Json, stored: Json): boolean {
  if (isDeepStrictEqual(value, stored) || (value === '' && stored === null)) return true
  if (field.type.wire === 'timestamp') {
    // Clients that parse a moment to an object send it back with milliseconds only.
    const [sent, kept] = [Date.parse(String(value)), Date.parse(String(stored))]
    // Another writer's update moves the moments that every update sets. An older one is accepted: If-Match detects that case.
    const moves = resource.updateSets.some((set) => set.field === field)
    return moves ? sent <= kept : sent === kept
  }
  return field.type.wire === 'number' && typeof value === 'string' && value.trim() === String(stored)
}

/** Why a key is refused, and what to use instead. */
function unwritableKey(catalog: Catalog, resource: Resource, key: string, predicate: string): FieldError {
  const relation = resource.relations.get(key)
  const instead = relation === undefined ? undefined : writtenBy(catalog, resource, relation)
  return mistake({ name: key }, 'invalid', `${predicate}: ${instead === undefined ? 'leave it out' : `use ${instead}`}`)
}

function writtenBy(catalog: Catalog, resource: Resource, relation: Relation): string | undefined {
  if (relation.kind === 'many_to_many') return relation.writeAs
  if (relation.kind === 'belongs_to') return isWritable(relation.field) ? relation.field.name : undefined
  const target = targetOf(catalog, relation)
  const [above] = relation.by
  const nested = target.nested.find((one) => one.relation === above && one.actions.includes('create'))
  if (nested !== undefined) return `POST ${catalog.prefix}/${resource.path}/{id}/${nested.path}`
  return target.actions.has('create') ? `POST ${catalog.prefix}/${target.path}` : undefined
}
