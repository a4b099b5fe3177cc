/** Pass: automations, linked: their triggers, their conditions and their actions. */

import type { Act, Automation, Condition, Field, Filter, Given, Pick, Trigger, Value } from '../catalog/catalog.ts'
import type { AutomationDefinition, Document } from '../definition/definition.ts'
import { speaksOf } from '../filter/walk.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import { triggerOf } from './automation-trigger.ts'
import { entries, type Place, under } from './document-part.ts'
import { settable } from './follows.ts'
import { linkedParts, linkFilter } from './link.ts'
import { relationOf } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import {
  type Draft,
  eachDraft,
  isFilledByItself,
  isWritten,
  type Resolution,
  suggest,
  suggestResource,
} from './resolution.ts'
import { linkValue, pathsRead } from './values.ts'

interface About {
  readonly resolution: Resolution
  readonly draft: Draft
  readonly trigger: Trigger
  readonly judging: Judging
  /** Whether the automation acts for records. */
  readonly chooses: boolean
}

/** Reports a filter or a value that names an actor; returns whether it does. */
function refuseActor(
  { report }: Resolution,
  { filter, value }: { readonly filter?: Filter; readonly value?: Value },
  span: Span,
): boolean {
  const names = (filter !== undefined && speaksOf('actor', filter)) || (value !== undefined && inValue(value))
  if (names) report('wrong_automation', 'There is no "$actor" in an automation: it runs as the system', span)
  return names
}

function inValue(value: Value): boolean {
  switch (value.kind) {
    case 'operand':
      return value.operand.kind === 'actor'
    case 'selection':
      return speaksOf('actor', value.selection.where)
    case 'later':
    case 'earlier':
      return inValue(value.than)
    case 'first':
    case 'sum':
    case 'difference':
    case 'product':
    case 'quotient':
      return value.of.some(inValue)
    default:
      return false
  }
}

const WAYS = ['in_turn', 'fewest'] as const
const KEYS: readonly string[] = ['pick', 'by', 'where']

/** Links the choice of a record for a field; undefined with a complaint where there is none to choose. */
function pickOf(about: About, field: Field, written: JsonObject, place: Place): Pick | undefined {
  const { draft, resolution } = about
  const relation = relationOf(resolution, draft, field.relation ?? '')
  const target = relation && resolution.drafts.get(relation.target)
  if (relation?.kind !== 'belongs_to' || target === undefined) {
    const message = `"${field.name}" leads to no other record that could be chosen`
    resolution.report('wrong_value', message, place(['pick'], 'key'))
    return undefined
  }
  if (target.key.type.name !== 'integer') {
    const message = `Who is chosen has an integer id, and those of "${target.name}" are ${target.key.type.name}`
    resolution.report('wrong_automation', message, place(['pick'], 'key'), { hint: 'set it by a filter instead' })
    return undefined
  }
  const by = wayOf(about, written, place)
  const from = filterOf(about, target, written.pick ?? null, under(place, 'pick'))
  const where = written.where === undefined ? undefined : filterOf(about, draft, written.where, under(place, 'where'))
  return by === undefined || from === undefined ? undefined : { relation, from, by, where }
}

function wayOf({ resolution }: About, written: JsonObject, place: Place): Pick['by'] | undefined {
  const unknown = Object.keys(written).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    resolution.report('unknown_key', `Unknown key "${unknown}"`, place([unknown], 'key'), suggest(unknown, KEYS))
  const by = WAYS.find((way) => way === written.by)
  if (by === undefined) {
    const message = 'Nothing says how one of them is chosen: in_turn, or who has the fewest'
    resolution.report('wrong_value', message, place(written.by === undefined ? ['pick'] : ['by']), { expected: WAYS })
  }
  if (written.where !== undefined && by === 'in_turn')
    resolution.report('wrong_value', '"where" says which records count, with "by: fewest"', place(['where'], 'key'))
  return by
}

function filterOf({ judging, resolution }: About, of: Draft, written: Json, place: Place): Filter | undefined {
  if (!isObject(written)) {
    resolution.report('wrong_type', 'A filter goes here: which of them may be chosen', place([]))
    return undefined
  }
  const filter = linkFilter(resolution, of, written, place, judging)
  return filter === undefined || refuseActor(resolution, { filter }, place([])) ? undefined : filter
}

/** Links one key of an automation; `action` is the plugin's action that the key means. */
function linkAct(
  about: About,
  { value, place }: Document<AutomationDefinition>,
  key: string,
  action: string | undefined,
): readonly Act[] {
  const at: Place = under(place, key)
  if (action !== undefined) return [runOf(about, action, value[key] as JsonObject, at)]
  if (key === 'set') return setOf(about, value.set ?? {}, at)
  if (key === 'create')
    return Object.entries(value.create ?? {}).flatMap(([name, values]) =>
      createOf(about, name, values, under(at, name)),
    )
  return Object.entries(value.run ?? {}).map(([name, given]) => runOf(about, name, given, under(at, name)))
}

function runOf({ resolution }: About, action: string, written: JsonObject, place: Place): Act {
  // The schema reports an unknown action; the rest of the automation is judged all the same.
  const given = resolution.extensions.actions.has(action) ? structuredClone(written) : {}
  return { kind: 'run', action, given, place, span: place([], 'key') }
}

function setOf(about: About, written: JsonObject, place: Place): readonly Act[] {
  const { chooses, draft, resolution, trigger } = about
  const span = place([], 'key')
  if (!chooses) {
    const hint = 'add when: { … }; when: {} means all of them'
    resolution.report('wrong_automation', 'Nothing says which records get these values', span, { hint })
  }
  if (trigger.kind === 'write' && trigger.on.has('delete'))
    resolution.report('wrong_automation', 'A record that was deleted cannot be changed', span)
  const set = Object.entries(written).flatMap(([name, value]): readonly Given[] => {
    const at = under(place, name)
    const field = settable(resolution, draft, name, at([], 'key'))
    if (field === undefined) return []
    if (!draft.fields.has(field.name)) {
      const message = `"${name}" is a field of "${draft.owner}", and "${draft.name}" does not list it`
      resolution.report('unknown_field', message, at([], 'key'), { hint: 'list it under fields or relations' })
      return []
    }
    judgeSet(about, field, value, at([], 'key'))
    if (isObject(value) && Object.hasOwn(value, 'pick')) {
      const pick = pickOf(about, field, value, at)
      return pick === undefined ? [] : [{ field, pick }]
    }
    const linked = linkedValue(about, draft, field, value, at)
    return linked === undefined ? [] : [{ field, value: linked }]
  })
  return [{ kind: 'set', set, span }]
}

/** Reports what cannot be set, or what would set the automation off itself. */
function judgeSet({ resolution, trigger }: About, field: Field, value: Json, span: Span): void {
  if (field.type.hidden === true)
    resolution.report('wrong_automation', `"${field.name}" is a secret, which nobody writes into YAML`, span)
  if (field.immutable)
    resolution.report('wrong_automation', `"${field.name}" cannot be changed once it is stored`, span)
  if (trigger.kind === 'write' && trigger.changed?.some((turn) => turn.field.name === field.name)) {
    const hint = 'write it under "follows", as a part of the write itself'
    resolution.report('wrong_automation', `A change of "${field.name}" sets this automation off`, span, { hint })
  }
  if (trigger.kind !== 'moment' || trigger.at.name !== field.name) return
  if (value === null || (isObject(value) && Object.hasOwn(value, 'plus'))) return
  const hint = `set it to null, or to a later moment: { plus: [$record.${field.name}, 1 day] }`
  resolution.report('wrong_automation', `The moment "${field.name}" sets this automation off, again and again`, span, {
    hint,
  })
}

function createOf(about: About, name: string, written: JsonObject, place: Place): readonly Act[] {
  const { resolution } = about
  const target = resolution.drafts.get(name)
  if (target === undefined) {
    if (resolution.unusable.has(name)) return []
    const details = suggestResource(resolution, name)
    resolution.report('unknown_resource', `Unknown resource "${name}"`, place([], 'key'), details)
    return []
  }
  const set = Object.entries(written).flatMap(([key, value]) => {
    const at = under(place, key)
    const field = settable(resolution, target, key, at([], 'key'))
    const linked = field === undefined ? undefined : linkedValue(about, target, field, value, at)
    return field === undefined || linked === undefined ? [] : [{ field, value: linked }]
  })
  if (set.length === Object.keys(written).length) judgeWhole(resolution, target, set, place([], 'key'))
  return [{ kind: 'create', resource: name, set, span: place([], 'key') }]
}

/** Reports required fields that a new record does not get. */
function judgeWhole(
  resolution: Resolution,
  target: Draft,
  set: readonly { readonly field: Field }[],
  span: Span,
): void {
  const given = new Set(set.map(({ field }) => field.name))
  const missing = [...target.fields.values()].filter(
    (field) =>
      field.required &&
      !given.has(field.name) &&
      field.type.name !== 'slug' &&
      !isFilledByItself(target, field) &&
      !target.follows.some(({ set: values }) => values.some((one) => one.field.name === field.name)),
  )
  for (const { name, relation } of missing)
    resolution.report('missing_key', `A new record of "${target.name}" needs "${relation ?? name}"`, span)
}

/** A value for a field of `holder`; `$record` is the record for which the automation acts, and by itself its id. */
function linkedValue(about: About, holder: Draft, field: Field, written: Json, place: Place): Value | undefined {
  const { chooses, draft, judging, resolution } = about
  if (typeof written === 'string' && /\{\{/.test(written)) {
    const hint = `write { text: ${JSON.stringify(written)} }`
    resolution.report('wrong_value', 'Words between braces are kept as they are here', place([]), { hint })
    return undefined
  }
  if (written === '$record' && !leadsTo(resolution, holder, field, draft)) {
    resolution.report('wrong_value', `"${field.name}" does not lead to a record of "${draft.name}"`, place([]))
    return undefined
  }
  const value = linkValue(
    { resolution, draft: holder, field, judging },
    written === '$record' ? '$record.id' : written,
    place,
  )
  if (value === undefined) return undefined
  if (refuseActor(resolution, { value }, place([]))) return undefined
  if (!chooses && pathsRead(value).length > 0) {
    const hint = 'add when: { … }, which chooses records'
    resolution.report('wrong_automation', 'There is no record to take this value from', place([]), { hint })
    return undefined
  }
  return value
}

function leadsTo({ drafts }: Resolution, holder: Draft, { relation }: Field, draft: Draft): boolean {
  const found = holder.relations.get(relation ?? '') ?? drafts.get(holder.owner)?.relations.get(relation ?? '')
  return found !== undefined && drafts.get(found.target)?.owner === draft.owner
}

/** Links the automations of every resource. */
export function automations(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const linked = entries(written.document, ['automations'], written.document.value.automations).flatMap(
      ([name, document]) => automationOf(resolution, draft, name, document) ?? [],
    )
    draft.automations = new Map(linked.map((one) => [one.name, one]))
  }
}

function automationOf(
  resolution: Resolution,
  draft: Draft,
  name: string,
  document: Document<AutomationDefinition>,
): Automation | undefined {
  const { value, place } = document
  if (draft.key.type.name !== 'integer') {
    const message = `Automations act for records with integer ids, and those of "${draft.name}" are ${draft.key.type.name}`
    const hint = 'let a listener of a plugin do it, or an automation of a resource with integer ids'
    resolution.report('wrong_automation', message, place([], 'key'), { hint })
    return undefined
  }
  const trigger = triggerOf(resolution, draft, name, document)
  if (trigger === undefined) return undefined
  const judging: Judging = {
    record: draft,
    before: false,
    reason: 'An automation acts after the write, when nothing knows any more what was stored before',
  }
  const when = value.when === undefined ? undefined : conditionsOf(resolution, draft, value.when, place, judging)
  const chooses = trigger.kind !== 'schedule' || when !== undefined
  const absent = trigger.kind === 'moment' && when?.find(({ filter }) => isAbsent(filter, trigger.at))
  if (absent) {
    const message = `"${trigger.kind === 'moment' ? trigger.at.name : ''}" is there when its moment comes`
    resolution.report('wrong_automation', message, absent.span, { hint: 'take the condition away' })
  }
  const about: About = { resolution, draft, trigger, judging, chooses }
  judgeGone(about, document)
  const actions = actsOf(about, name, document)
  return { name, description: value.description, trigger, when, actions, span: place([], 'key') }
}

/** Whether a condition wants a field to have no value. */
function isAbsent(filter: Filter, field: Field): boolean {
  if (filter.kind !== 'compare' || filter.operator !== 'null' || filter.path.relations.length > 0) return false
  return filter.path.field === field && filter.operand.kind === 'literal' && filter.operand.value === true
}

/** Reports keys that need the values of a removed record. */
function judgeGone({ draft, resolution, trigger }: About, { value, place }: Document<AutomationDefinition>): void {
  if (trigger.kind !== 'write' || !trigger.on.has('delete') || draft.live !== undefined) return
  if (draft.owner !== draft.name) {
    const message = `Of a record that was removed for good nobody knows whether it was one of "${draft.name}"`
    resolution.report('wrong_automation', message, place(['on']), { hint: `take it into the file of "${draft.owner}"` })
  }
  for (const key of ['when', 'create'] as const) {
    if (value[key] === undefined) continue
    const message = `"${draft.name}" are removed for good, so nothing is known of one after its delete`
    const hint = 'keep what is deleted (soft_delete: true), or leave delete to another automation'
    resolution.report('wrong_automation', message, place([key], 'key'), { hint })
  }
}

/** Each key of `when` by itself, so that an explanation can say which of them holds. */
function conditionsOf(
  resolution: Resolution,
  draft: Draft,
  when: NonNullable<AutomationDefinition['when']>,
  place: Place,
  judging: Judging,
): readonly Condition[] {
  const at = under(place, 'when')
  const parts = linkedParts(resolution, draft, when, at, judging)
  return parts.flatMap(({ filter, span, value }) =>
    refuseActor(resolution, { filter }, value) ? [] : [{ filter, span }],
  )
}

/** The actions of an automation, in the order written. */
function actsOf(about: About, name: string, document: Document<AutomationDefinition>): readonly Act[] {
  const { resolution } = about
  const { value, place } = document
  const known = new Map(
    [...resolution.extensions.actions].flatMap(([action, key]) => (key === undefined ? [] : [[key, action] as const])),
  )
  const acts = Object.keys(value).filter((key) => ACTS.has(key) || known.has(key))
  const expected = [...ACTS, ...known.keys()]
  if (acts.length === 0 && !expected.some((key) => isWritten(document, [key]))) {
    resolution.report('wrong_automation', `The automation "${name}" does nothing`, place([], 'key'), { expected })
  }
  const idle = acts.find((key) => ACTS.has(key) && Object.keys((value[key] ?? {}) as object).length === 0)
  if (idle !== undefined)
    resolution.report('wrong_automation', `"${idle}" names nothing, so nothing is done`, place([idle]), {
      hint: 'name what is done, or take the key away',
    })
  return acts.flatMap((key) => linkAct(about, document, key, known.get(key)))
}

const ACTS: ReadonlySet<string> = new Set(['set', 'create', 'run'])
