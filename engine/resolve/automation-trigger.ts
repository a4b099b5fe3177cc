/** The trigger of an automation, linked: a write, a moment of a record, or a schedule. */
import { type Cron, parseCron } from '../calendar/cron.ts'
import { zoneNamed } from '../calendar/zone.ts'
import type { Field, Trigger, Turn } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import type { AutomationDefinition, Document, TurnDefinition } from '../definition/definition.ts'
import { sentenceOf } from '../error.ts'
import type { Json } from '../json.ts'
import { fieldOf, reportUnknown } from './link-path.ts'
import { fieldAt, fieldsNamed } from './record-rules.ts'
import { type Draft, fieldNames, isWritten, type Resolution, suggest } from './resolution.ts'

/** The triggers, and the keys that go with each. */
const TRIGGERS = { on: ['changed'], at: ['after', 'before', 'in'], every: ['in'] } as const
type Word = keyof typeof TRIGGERS

type Written = Document<AutomationDefinition>

/** Links what sets an automation off; undefined with a complaint where nothing can. */
export function triggerOf(resolution: Resolution, draft: Draft, name: string, document: Written): Trigger | undefined {
  const { value, place } = document
  const words = (Object.keys(TRIGGERS) as Word[]).filter((word) => Object.hasOwn(value, word))
  const [word, second] = words
  if (word === undefined) {
    if (Object.keys(TRIGGERS).some((one) => isWritten(document, [one]))) return undefined
    const message = `Nothing sets the automation "${name}" off`
    resolution.report('wrong_automation', message, place([], 'key'), { expected: Object.keys(TRIGGERS) })
    return undefined
  }
  if (second !== undefined) {
    const hint = 'write two automations'
    const message = `"${second}" does not go with "${word}": one thing sets an automation off`
    resolution.report('wrong_automation', message, place([second], 'key'), { hint })
    return undefined
  }
  if (!isTogether(resolution, document, word)) return undefined
  if (word === 'on') return onWrite(resolution, draft, document)
  return word === 'at' ? atMoment(resolution, draft, document) : bySchedule(resolution, document)
}

/** Whether no key of another trigger is written with it. */
function isTogether({ report }: Resolution, { value, place }: Written, word: Word): boolean {
  const own: readonly string[] = TRIGGERS[word]
  const foreign = Object.values(TRIGGERS)
    .flat()
    .find((key) => Object.hasOwn(value, key) && !own.includes(key))
  if (foreign !== undefined) {
    report('wrong_automation', `"${foreign}" does not go with "${word}"`, place([foreign], 'key'), {
      expected: [...own],
    })
    return false
  }
  if (value.after === undefined || value.before === undefined) return true
  report('wrong_automation', '"before" does not go with "after"', place(['before'], 'key'))
  return false
}

function onWrite(resolution: Resolution, draft: Draft, document: Written): Trigger | undefined {
  const { value, place } = document
  const on = new Set(value.on)
  if (value.changed !== undefined && !on.has('update')) {
    resolution.report('wrong_automation', 'Only an update changes something', place(['changed'], 'key'), {
      hint: 'leave it out, or name update under on',
    })
    return undefined
  }
  const turns = turnsOf(resolution, draft, document)
  const changed = turns?.map(({ field }) => field)
  const untold = changed?.find(({ type, show }) => type.hidden === true || show === 'never')
  if (untold !== undefined) {
    const message = `"${untold.name}" is never shown, so the log of changes does not hold it`
    resolution.report('wrong_automation', message, place(['changed']))
    return undefined
  }
  const always = changed?.find(({ name }) => draft.updateSets.some(({ field }) => field.name === name))
  if (always !== undefined) {
    const message = `Every update sets "${always.name}", so the log of changes does not hold it`
    resolution.report('wrong_automation', message, place(['changed']), { hint: 'leave it out: every update is meant' })
    return undefined
  }
  return { kind: 'write', on, changed: turns }
}

function atMoment(resolution: Resolution, draft: Draft, { value, place }: Written): Trigger | undefined {
  const name = value.at ?? ''
  const at = fieldOf(resolution, draft, name)
  const moments = fieldNames(draft, (field) => isStored(field) && isMoment(field.type.wire))
  if (at === undefined) return reportUnknown(resolution, draft, name, place(['at']), moments, 'field')
  if (!isStored(at) || !isMoment(at.type.wire)) {
    const message = `"${name}" is no moment that is stored with the record`
    resolution.report('wrong_automation', message, place(['at']), suggest(name, moments))
    return undefined
  }
  if (value.in !== undefined && at.type.wire !== 'date') {
    const message = `"${name}" is the same moment in every zone`
    resolution.report('wrong_automation', message, place(['in'], 'key'), { hint: 'leave it out' })
  }
  const by = value.after ?? value.before
  const direction = value.after === undefined ? 'before' : 'after'
  return {
    kind: 'moment',
    at,
    shift: by === undefined ? undefined : { by, direction },
    zone: zoneOf(resolution, value, place),
  }
}

function isMoment(wire: string): boolean {
  return wire === 'timestamp' || wire === 'date'
}

function bySchedule(resolution: Resolution, { value, place }: Written): Trigger | undefined {
  const zone = zoneOf(resolution, value, place)
  let cron: Cron
  try {
    cron = parseCron(value.every ?? '')
  } catch (error) {
    const message = `This is no schedule: ${sentenceOf(error)}`
    resolution.report('wrong_automation', message, place(['every']), {
      hint: '"30 8 * * mon-fri" is half past eight on working days',
    })
    return undefined
  }
  return { kind: 'schedule', cron, zone }
}

/** The zone that `in` names, or that of the calendar. */
function zoneOf(
  { calendars, report }: Resolution,
  { in: name }: AutomationDefinition,
  place: Written['place'],
): string {
  if (name === undefined) return 'UTC'
  const zone = calendars.get(name)?.zone ?? zoneNamed(name)
  if (zone !== undefined) return zone
  const { expected = [], ...details } = suggest(name, calendars.keys())
  const message = `There is no time zone or calendar "${name}"`
  report('wrong_automation', message, place(['in']), { ...details, expected: [...expected, 'Europe/Berlin', 'UTC'] })
  return 'UTC'
}

/** Types whose values the log of changes holds as they are written in YAML. */
const PLAIN: ReadonlySet<string> = new Set(['enum', 'string', 'boolean', 'integer'])

type Place = Document<AutomationDefinition>['place']

/** The changes under `changed`, less those that are wrong, with a complaint; undefined where it says nothing. */
function turnsOf(
  resolution: Resolution,
  draft: Draft,
  { place, value }: Document<AutomationDefinition>,
): readonly Turn[] | undefined {
  const { changed } = value
  if (changed === undefined || typeof changed === 'string' || isNames(changed)) {
    const fields = fieldsNamed(resolution, draft, { value: changed === undefined ? {} : { changed }, place })
    return fields?.map((field) => ({ field, from: undefined, to: undefined }))
  }
  return Object.entries(changed).flatMap(([name, turn]) => {
    const field = fieldAt(resolution, draft, name, place(['changed', name], 'key'))
    if (field === undefined) return []
    const [from, to] = (['from', 'to'] as const).map((side) => valuesOf(resolution, field, side, turn, name, place))
    return [{ field, from, to }]
  })
}

/** Whether `changed` is a list of names, and not what each turns from and to. */
export function isNames(changed: object): changed is readonly string[] {
  return Array.isArray(changed)
}

function valuesOf(
  { report }: Resolution,
  field: Field,
  side: 'from' | 'to',
  turn: TurnDefinition,
  name: string,
  place: Place,
): readonly Json[] | undefined {
  const written = turn[side]
  if (written === undefined) return undefined
  return [written].flat().flatMap((value, index): readonly Json[] => {
    if (value === null) return [value]
    const at = place(['changed', name, side, ...(Array.isArray(written) ? [index] : [])])
    if (field.relation !== undefined || !PLAIN.has(field.type.name)) {
      const hint = 'leave the value to "when", which is judged of the record when the automation acts'
      const message = `"${name}" (${field.relation === undefined ? field.type.name : 'a relation'}) can be compared with null alone`
      report('wrong_automation', message, at, { hint })
      return []
    }
    const decoded = field.type.decode(value, field.options)
    if ('value' in decoded) return [decoded.value as Json]
    report('wrong_value', `"${name}" ${decoded.error}`, at)
    return []
  })
}
