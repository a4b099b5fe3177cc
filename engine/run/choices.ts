/** ⇄ The records that a relation of a record may be set to, each with its id and its title. */
import { titleFor } from '../ask/askable.ts'
import { readListQuery } from '../ask/list.ts'
import { readLookup } from '../ask/lookup.ts'
import { allowsOne } from '../ask/policy.ts'
import type { BelongsTo, EmbedEntry, FieldPath, ManyToMany, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import { idAtStart, isObject, type Json, type JsonObject } from '../json.ts'
import { identityOf } from '../plan/plan.ts'
import type { Answer, ChoiceShape, Part } from '../plan/read-plan.ts'
import { type FieldValues, isWritable, misfit } from '../record/decode.ts'
import { valueSlots } from '../statement/compiled.ts'
import type { ListResult } from './context.ts'
import type { Execution } from './execution.ts'
import { outOfReach } from './parent.ts'
import { readList, readOne } from './read.ts'

/** What is asked for: the words and the page of a list, and the record whose relation is to be set. */
export interface Choosing {
  readonly resource: Resource
  readonly relation: BelongsTo | ManyToMany
  /** How a path would name the record; undefined: it is to come. */
  readonly named: string | undefined
  /** Values of the record that are not stored, as a body has them, in JSON. */
  readonly record: string | undefined
  readonly query: readonly (readonly [string, string])[]
}

/**
 * One page of what may be chosen, each `{"id":…,"title":…}`. Throws as the list of the other resource does, and as a get
 * of the record does.
 */
export async function listChoices(around: Execution, choosing: Choosing): Promise<ListResult> {
  const { relation, resource } = choosing
  const target = targetOf(around.catalog, relation)
  const title = titleFor(around, target)
  const values = givenValues(around, resource, choosing.record)
  const chooser = choosing.named === undefined ? undefined : await chooserId(around, resource, choosing.named)
  const given = [...resource.fields.values()].filter(({ name }) => Object.hasOwn(values, name))
  const stored = chooser !== undefined
  const planId = identityOf([resource, relation, stored, given])
  const choices: ChoiceShape = { planId, resource, relation, stored, given }
  const slots = { ...valueSlots(resource, values), chooser }
  const narrowed = { choices, answer: titleAnswer(target, title), slots }
  const page = await readList(around, readListQuery(around, target, choosing.query, undefined, narrowed))
  return { ...page, search: undefined, items: page.items.map((text) => titled(text, title)) }
}

/** The id of the record whose relation is to be set; it must be one that the caller may see. */
async function chooserId(around: Execution, resource: Resource, named: string): Promise<Id> {
  const lookup = readLookup(resource, named, around.actor)
  const found = await readOne(around, resource, lookup, { planId: 'id', parts: [resource.key] })
  if (!found.visible) throw outOfReach(resource)
  return idAtStart(found.text)!
}

/** The values of the parameter `record`: fields that its caller may write, each decoded. */
function givenValues({ actor }: Execution, resource: Resource, text: string | undefined): FieldValues {
  if (text === undefined) return {}
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw invalid({ record: [fieldError('invalid', 'The record parameter must be JSON')] })
  }
  if (!isObject(given)) throw invalid({ record: [fieldError('wrong_type', 'The record parameter must be an object')] })
  const values: FieldValues = {}
  const errors: Record<string, FieldError[]> = Object.create(null)
  for (const [name, value] of Object.entries(given)) {
    const field = resource.fields.get(name)
    // Other keys of a form mean nothing to a choice.
    if (field === undefined || !isWritable(field) || !allowsOne(field.write, actor)) continue
    const decoded = value === null ? { value: null } : field.type.decode(value as Json, field.options)
    if ('value' in decoded) values[name] = decoded.value
    else errors[`record.${name}`] = [misfit(field, decoded)]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return values
}

/** An answer of the id and what the title is made of. */
function titleAnswer({ key }: Resource, title: readonly FieldPath[]): Answer {
  const own = title.filter(({ field, relations }) => relations.length === 0 && field !== key).map(({ field }) => field)
  const ways = new Map<BelongsTo, EmbedEntry[]>()
  title.forEach(({ field, relations: [first, ...further] }, at) => {
    if (first === undefined) return
    const entries = ways.get(first) ?? []
    entries.push({ name: `title${at}`, value: { kind: 'field', path: { relations: further, field } } })
    ways.set(first, entries)
  })
  const parts: readonly Part[] = [key, ...own, ...[...ways].map(([relation, entries]) => ({ relation, entries }))]
  return { planId: 'title', parts }
}

/** The record as a choice; without a value in its title it is called by its id. */
function titled(text: string, title: readonly FieldPath[]): string {
  const record = JSON.parse(text) as JsonObject
  const words = title.flatMap(({ field, relations: [first] }, at) => {
    const value = first === undefined ? record[field.name] : (record[first.name] as JsonObject | null)?.[`title${at}`]
    return value === null || value === undefined || value === '' ? [] : [String(value)]
  })
  const id = record.id as Json
  return JSON.stringify({ id, title: words.length === 0 ? String(id) : words.join(' ') })
}
