/** Rules that others can break: each way on which a rule looks at other records, given to the resources that are written there. */

import type { BelongsTo, Filter, ForeignRule, LinkRule, RecordRule } from '../catalog/catalog.ts'
import type { Document, RuleDefinition } from '../definition/definition.ts'
import { speaksOf } from '../filter/walk.ts'
import { type Look, looksOf, type PlacedStep, relatedIn } from './filter-dependencies.ts'
import type { Draft, Resolution } from './resolution.ts'

/** Gives a rule that holds always to every resource that it looks at; reports what cannot be judged from there. */
export function addForeignRules(
  resolution: Resolution,
  draft: Draft,
  { place }: Document<RuleDefinition>,
  rule: RecordRule,
): void {
  const filters = [rule.must, ...(rule.when === undefined ? [] : [rule.when])]
  const looks = filters.flatMap((filter) => looksOf(resolution, draft, filter))
  const problem = filters.some((one) => speaksOf('before', one) || speaksOf('actor', one))
    ? 'it speaks of the caller, or of what was stored before'
    : looks.map(({ problem }) => problem).find((one) => one !== undefined)
  if (problem !== undefined) {
    const message = `"holds: always" is judged without a request, by what is stored: ${problem}`
    resolution.report('wrong_rule', message, place(['holds']), {
      hint: 'write holds: when_written, or say it with less',
    })
    return
  }
  const silent = looks.flatMap((look) => removedSilently(resolution, look) ?? [])[0]
  if (silent !== undefined) {
    const message = `"holds: always" cannot hold: the database itself ${silent}, and no rule is judged then`
    resolution.report('wrong_rule', message, place(['holds']), {
      hint: 'write on_delete: restrict there, or holds: when_written',
    })
    return
  }
  for (const look of looks) {
    if (look.link === undefined) addForeign(resolution, draft, rule, look)
    else addLink(resolution, draft, rule, { ...look, link: look.link })
  }
}

/** A table has a rule once for each way that leads there, with all columns that the rule reads. */
function addForeign(resolution: Resolution, about: Draft, rule: RecordRule, look: Look): void {
  const { reads, target } = look
  const way = look.steps.map(({ step }) => step)
  const foreign: ForeignRule = { rule, resource: about.owner, table: about.table, way, reads, asked: look.asked }
  const owner = resolution.drafts.get(target)?.owner ?? target
  for (const draft of resolution.drafts.values()) {
    if (draft.owner !== owner) continue
    const known = draft.foreignRules.find((one) => one.rule.name === rule.name && isSameWay(one, foreign))
    const others = draft.foreignRules.filter((one) => one !== known)
    const all = new Set([...(known?.reads ?? []), ...reads])
    draft.foreignRules = [...others, { ...foreign, reads: all, asked: foreign.asked || known?.asked === true }]
  }
}

/** The resources that write the pairs of a joining table, from either side. */
function addLink(
  resolution: Resolution,
  about: Draft,
  rule: RecordRule,
  { link, steps }: Look & { readonly link: NonNullable<Look['link']> },
): void {
  const way = steps.map(({ step }) => step)
  const one: LinkRule = { rule, resource: about.owner, table: about.table, way, ...link }
  for (const draft of resolution.drafts.values()) {
    const writes = [...draft.relations.values()].some(
      (relation) => relation.kind === 'many_to_many' && relation.through.table === link.through,
    )
    const isKnown = draft.linkRules.some(
      (known) => known.rule.name === rule.name && known.near === one.near && isSameWay(known, one),
    )
    if (writes && !isKnown) draft.linkRules = [...draft.linkRules, one]
  }
}

function isSameWay(one: Pick<ForeignRule, 'table' | 'way'>, other: Pick<ForeignRule, 'table' | 'way'>): boolean {
  return one.table === other.table && JSON.stringify(one.way) === JSON.stringify(other.way)
}

/** The joining tables whose pairs a rule looks at. */
export function linksIn(filters: readonly (Filter | undefined)[]): ReadonlySet<string> {
  const related = filters.flatMap((filter) => (filter === undefined ? [] : relatedIn(filter)))
  return new Set(related.flatMap(({ path: { many } }) => (many.kind === 'many_to_many' ? [many.through.table] : [])))
}

/** What happens to the records at the end of a way, as the rest of a sentence; undefined: nothing. */
function removedSilently(resolution: Resolution, { link, reads, steps }: Look): string | undefined {
  const last = steps.at(-1)
  if (last === undefined || link !== undefined) return undefined
  if (last.step.kind === 'to') {
    const { relation } = last
    if (relation === undefined) return undefined
    if (clears(resolution, relation)) return `clears "${relation.name}" when its record is removed`
    const cleared = takes(resolution, relation) ? clearedBefore(steps) : undefined
    return cleared && `clears "${cleared.name}" when "${relation.target}" are removed`
  }
  if (last.step.kind === 'link') return undefined
  const { across, far, step } = last
  for (const relation of keysOf(resolution, far)) {
    const { column } = relation.field
    // With the record that it leads to its rule is gone too, or that record is judged itself.
    if (column === step.column || column === across) continue
    if (takes(resolution, relation)) return `removes records of "${far}" with those of "${relation.target}"`
    if (clears(resolution, relation) && reads.has(column))
      return `clears "${relation.name}" of "${far}" when its record is removed`
  }
  return undefined
}

/** The key that is cleared because the records in between go one with another. */
function clearedBefore(steps: readonly PlacedStep[]): BelongsTo | undefined {
  for (const { relation, step } of [...steps].reverse()) {
    if (step.kind !== 'to' || relation?.onDelete === 'restrict') return undefined
    if (relation?.onDelete === 'set_null') return relation
  }
  return undefined
}

function keysOf(resolution: Resolution, name: string): readonly BelongsTo[] {
  const relations = [...(resolution.drafts.get(name)?.relations.values() ?? [])]
  return relations.filter((relation) => relation.kind === 'belongs_to')
}

/** Whether records of the resource can be removed for good. */
function isRemovable(resolution: Resolution, name: string): boolean {
  return resolution.drafts.get(name)?.live === undefined
}

function clears(resolution: Resolution, { onDelete, target }: BelongsTo): boolean {
  return onDelete === 'set_null' && isRemovable(resolution, target)
}

function takes(resolution: Resolution, { onDelete, target }: BelongsTo): boolean {
  return onDelete === 'cascade' && isRemovable(resolution, target)
}
