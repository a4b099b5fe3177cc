/** `{ pick: { role.slug: agent }, by: fewest }`: which record of a relation's resource an automation chooses, and how. */
import type { Field, Filter, Pick } from '../catalog/catalog.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { type About, refuseActor } from './automation-about.ts'
import { linkFilter } from './link.ts'
import { type Place, relationOf } from './link-path.ts'
import { type Draft, suggest } from './resolution.ts'

const WAYS = ['in_turn', 'fewest'] as const
const KEYS: readonly string[] = ['pick', 'by', 'where']

/** Links the choice of a record for a field; undefined with a complaint where there is none to choose. */
export function pickOf(about: About, field: Field, written: JsonObject, place: Place): Pick | undefined {
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
  const from = filterOf(about, target, written.pick ?? null, inside(place, 'pick'))
  const where = written.where === undefined ? undefined : filterOf(about, draft, written.where, inside(place, 'where'))
  return by === undefined || from === undefined ? undefined : { relation, from, by, where }
}

function inside(place: Place, key: string): Place {
  return (path, part) => place([key, ...path], part)
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
    resolution.report('wrong_type', 'Here stands a filter: which of them may be chosen', place([]))
    return undefined
  }
  const filter = linkFilter(resolution, of, written, place, judging)
  return filter === undefined || refuseActor(resolution, { filter }, place([])) ? undefined : filter
}
