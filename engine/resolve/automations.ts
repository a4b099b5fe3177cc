/** Pass: what happens by itself, linked: what sets it off, of which records, and what it does. */
import type { Act, Automation, Condition, Field, Filter } from '../catalog/catalog.ts'
import type { AutomationDefinition, Document } from '../definition/definition.ts'
import { type About, refuseActor } from './automation-about.ts'
import { linkAct } from './automation-acts.ts'
import { triggerOf } from './automation-trigger.ts'
import type { Place } from './link-path.ts'
import { linkedParts } from './linked-parts.ts'
import type { Judging } from './record-operand.ts'
import { type Draft, eachDraft, isWritten, type Resolution } from './resolution.ts'
import { entries } from './written.ts'

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

/** Reports what asks for the values of a record that is gone. */
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

/** Each key of `when` by itself, so that it can be told which of them holds. */
function conditionsOf(
  resolution: Resolution,
  draft: Draft,
  when: NonNullable<AutomationDefinition['when']>,
  place: Place,
  judging: Judging,
): readonly Condition[] {
  const at: Place = (path, part) => place(['when', ...path], part)
  const parts = linkedParts(resolution, draft, when, at, judging)
  return parts.flatMap(({ filter, span, value }) =>
    refuseActor(resolution, { filter }, value) ? [] : [{ filter, span }],
  )
}

/** What it does, in the order written. */
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
