/** Rules that others can break: each way on which a rule looks at other records, given to the resources that are written there. */

import type { Filter, ForeignRule, LinkRule, RecordRule } from '../catalog/catalog.ts'
import type { Document, RuleDefinition } from '../definition/definition.ts'
import { speaksOf } from '../filter/walk.ts'
import { type Look, looksOf } from './looks.ts'
import type { Draft, Resolution } from './resolution.ts'
import { relatedIn } from './rule-paths.ts'
import { removedSilently } from './silent-removals.ts'

/** Gives a rule that holds always to every resource that it looks at; reports what can not be judged from there. */
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
    const message = `"holds: always" can not hold: the database itself ${silent}, and no rule is judged then`
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

/** A rule stands once at a table for each way that leads there, with all that it looks at. */
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
