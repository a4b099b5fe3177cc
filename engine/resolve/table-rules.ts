/** Pass: rules about several records of a table: how many there are, which is the only one, and which may not overlap. */

import type { CountRule, Field, Filter, OverlapRule, RecordRule, SoleRule } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { isStored } from '../catalog/stored.ts'
import type { Document, RuleDefinition } from '../definition/definition.ts'
import { isFixed } from '../filter/walk.ts'
import { entries, under } from './document-part.ts'
import { columnsOf, pathsOf } from './filter-dependencies.ts'
import { linkFilter } from './link.ts'
import { fieldAt, judgeOthers } from './record-rules.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Links them, and gives each resource all that speak of records of its table. */
export function tableRules(resolution: Resolution): void {
  const drafts = eachDraft(resolution)
  for (const { written, draft } of drafts) {
    for (const [name, document] of entries(written.document, ['rules'], written.document.value.rules)) {
      const { value } = document
      if (value.at_least !== undefined || value.at_most !== undefined) addCount(resolution, draft, name, document)
      if (value.only_one !== undefined) addSole(resolution, draft, name, value.only_one, document)
      if (value.no_overlap !== undefined) addOverlap(resolution, draft, name, value.no_overlap, document)
    }
  }
  for (const { draft } of drafts) {
    const owner = resolution.drafts.get(draft.owner)
    if (owner === undefined || owner === draft) continue
    owner.counts = [...owner.counts, ...draft.counts]
    owner.soles = [...owner.soles, ...draft.soles]
    owner.overlaps = [...owner.overlaps, ...draft.overlaps]
  }
  for (const { draft } of drafts) {
    const { counts, soles, overlaps } = resolution.drafts.get(draft.owner) ?? draft
    Object.assign(draft, { counts, soles, overlaps })
  }
}

/** What `where` admits, of the part of the table that the resource is. */
function whereOf(
  resolution: Resolution,
  draft: Draft,
  { value, place }: Document<RuleDefinition>,
): { readonly where: Filter | undefined } | undefined {
  const own = value.where === undefined ? undefined : linkFilter(resolution, draft, value.where, under(place, 'where'))
  if (value.where !== undefined && own === undefined) return undefined
  const parts = [draft.owner === draft.name ? undefined : draft.scope, own].filter((one) => one !== undefined)
  return { where: parts.length < 2 ? parts[0] : { kind: 'and', of: parts } }
}

function perOf(resolution: Resolution, draft: Draft, { value, place }: Document<RuleDefinition>): readonly Field[] {
  const { per } = value
  if (per === undefined) return []
  const names = typeof per === 'string' ? [per] : per
  return names.flatMap((name, index) => {
    const span = place(typeof per === 'string' ? ['per'] : ['per', index])
    const field = fieldAt(resolution, draft, name, span)
    if (field === undefined || isStored(field)) return field ?? []
    resolution.report('wrong_rule', `"${name}" has no column, so there are no records with equal values`, span)
    return []
  })
}

function common(
  resolution: Resolution,
  draft: Draft,
  name: string,
  document: Document<RuleDefinition>,
  fields: readonly Field[],
  where: Filter | undefined,
) {
  const { value, place } = document
  const per = perOf(resolution, draft, document)
  const columns = [...fields, ...per].map(({ column }) => column)
  const live = [where, draft.live].flatMap((filter) => (filter === undefined ? [] : pathsOf(filter).flatMap(columnsOf)))
  return {
    name,
    per,
    reads: new Set([...columns, ...live]),
    span: place([], 'key'),
    says: value.says ?? '',
    at: value.at === undefined ? undefined : fieldAt(resolution, draft, value.at, place(['at'])),
  }
}

function addCount(resolution: Resolution, draft: Draft, name: string, document: Document<RuleDefinition>): void {
  const found = whereOf(resolution, draft, document)
  if (found === undefined || document.value.says === undefined) return
  const { at_least: least, at_most: most } = document.value
  const rule: CountRule = { ...common(resolution, draft, name, document, [], found.where), ...found, least, most }
  draft.counts = [...draft.counts, rule]
  if (found.where !== undefined) judgeOthers(resolution, draft, name, document, pathsOf(found.where))
}

function addSole(
  resolution: Resolution,
  draft: Draft,
  name: string,
  field: string,
  document: Document<RuleDefinition>,
): void {
  const { place } = document
  const found = fieldAt(resolution, draft, field, place(['only_one']))
  if (found === undefined) return
  if (found.type.name !== 'boolean' || !isStored(found)) {
    const message = `"${field}" (${found.type.name}) is no yes or no, so no record can be the only one with a yes`
    resolution.report('wrong_rule', message, place(['only_one']), { hint: 'name a boolean field' })
    return
  }
  const where = draft.owner === draft.name ? undefined : draft.scope
  const { says: _, at: __, ...rest } = common(resolution, draft, name, document, [found], where)
  const rule: SoleRule = { ...rest, resource: draft.name, field: found, where }
  draft.soles = [...draft.soles, rule]
}

const ORDERED: ReadonlySet<string> = new Set(['date', 'timestamp'])

function addOverlap(
  resolution: Resolution,
  draft: Draft,
  name: string,
  names: readonly [string, string],
  document: Document<RuleDefinition>,
): void {
  const { place, value } = document
  const found = whereOf(resolution, draft, document)
  const ends = names.map((one, index) => fieldAt(resolution, draft, one, place(['no_overlap', index])))
  const [from, to] = ends
  if (from === undefined || to === undefined || found === undefined || value.says === undefined) return
  const wrong = ends.findIndex((field) => field === undefined || !ORDERED.has(field.type.wire) || !isStored(field))
  if (wrong >= 0 || from.type.wire !== to.type.wire) {
    const index = Math.max(wrong, 0)
    const message = `"${names[index]}" must be a day or a moment, as "${names[1 - index]}" must`
    resolution.report('wrong_rule', message, place(['no_overlap', index]), {
      hint: 'name two stored fields of type date, or two of type timestamp',
    })
    return
  }
  const variable =
    found.where === undefined ? undefined : pathsOf(found.where).find(({ relations }) => relations.length > 0)
  if (variable !== undefined || (found.where !== undefined && !isFixed(found.where))) {
    const message =
      'What may not overlap is an index of the database, which knows the fields of the record and fixed values only'
    resolution.report('wrong_rule', message, place(['where']), {
      hint: 'compare own fields with values that are written out',
    })
    return
  }
  const rest = common(resolution, draft, name, document, [from, to], found.where)
  const parts = [draft.live, found.where].filter((one) => one !== undefined)
  const where: Filter | undefined = parts.length < 2 ? parts[0] : { kind: 'and', of: parts }
  const rule: OverlapRule = { ...rest, from, to, where }
  draft.overlaps = [...draft.overlaps, rule]
  if (draft.rules.some((one) => saysOrder(one, from, to))) return
  for (const one of resolution.drafts.values())
    if (one.owner === draft.owner) one.rules = [...one.rules, inOrder(draft, rule)]
}

/** Whether a rule of the author's says already, in words of its own, that the end does not come before the start. */
function saysOrder({ must, on, when }: RecordRule, from: Field, to: Field): boolean {
  if (!on.has('create') || !on.has('update')) return false
  if (when !== undefined || must.kind !== 'compare' || must.operand.kind !== 'record') return false
  const { path, operator, operand } = must
  const own = path.relations.length === 0 && operand.path.relations.length === 0
  return own && (operator === 'gte' || operator === 'gt') && path.field === to && operand.path.field === from
}

/** The end does not come before the start: PostgreSQL makes no range of such two, and says so in its own words. */
function inOrder({ label }: Draft, { name, from, to, span }: OverlapRule): RecordRule {
  const path = (field: Field) => ({ relations: [], field })
  const compare = (field: Field, operator: 'null' | 'gte', operand: Extract<Filter, { kind: 'compare' }>['operand']) =>
    ({ kind: 'compare', path: path(field), operator, operand }) as const
  const none = { kind: 'literal', value: true } as const
  const must: Filter = {
    kind: 'or',
    of: [
      compare(from, 'null', none),
      compare(to, 'null', none),
      compare(to, 'gte', { kind: 'record', path: path(from) }),
    ],
  }
  const says = `The ${inSentence(label)} must not end before it starts`
  const on = new Set(['create', 'update'] as const)
  return {
    name: `${name}_order`,
    on,
    reads: new Set([from.column, to.column]),
    when: undefined,
    must,
    parts: [],
    says,
    narrow: false,
    links: new Set(),
    always: false,
    at: to,
    span,
  }
}
