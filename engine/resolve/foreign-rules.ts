/** Rules that hold always: each is given to the resources that it looks at, so that a write there is judged by it too. */
import type { Field, Filter, ForeignRule, RecordRule } from '../catalog/catalog.ts'
import type { Document, RuleDefinition } from '../definition/definition.ts'
import type { Draft, Resolution } from './resolution.ts'
import { columnsOf, pathsOf, relatedIn } from './rule-paths.ts'

/** Gives a rule that holds always to every resource that it looks at; reports what can not be judged from there. */
export function addForeignRules(
  resolution: Resolution,
  draft: Draft,
  { place }: Document<RuleDefinition>,
  rule: RecordRule,
): void {
  const filters = [rule.must, ...(rule.when === undefined ? [] : [rule.when])]
  const problem = filters.flatMap((filter) => unfit(filter)).find((one) => one !== undefined)
  if (problem !== undefined) {
    resolution.report(
      'wrong_rule',
      `"holds: always" is judged without a request and over one relation: ${problem}`,
      place(['holds']),
      {
        hint: 'write holds: when_written, or say it with less',
      },
    )
    return
  }
  const found = filters.flatMap((filter) => foreignOf(resolution, draft, rule, filter))
  const silent = found.flatMap((one) => removedSilently(resolution, one) ?? [])[0]
  if (silent !== undefined) {
    const message = `"holds: always" can not hold: the database itself ${silent}, and no rule is judged then`
    resolution.report('wrong_rule', message, place(['holds']), {
      hint: 'write on_delete: restrict there, or holds: when_written',
    })
    return
  }
  for (const one of found) add(resolution, one)
}

interface Found {
  readonly target: string
  readonly foreign: ForeignRule
}

/** A rule stands once at a table for each way that leads there, with all that it looks at. */
function add(resolution: Resolution, { target, foreign }: Found): void {
  const owner = resolution.drafts.get(resolution.drafts.get(target)?.owner ?? target)
  if (owner === undefined) return
  for (const draft of resolution.drafts.values()) {
    if (draft.owner !== owner.name) continue
    const known = draft.foreignRules.find(
      ({ rule, field, by }) =>
        rule.name === foreign.rule.name && field.column === foreign.field.column && by === foreign.by,
    )
    const others = draft.foreignRules.filter((one) => one !== known)
    const reads = new Set([...(known?.reads ?? []), ...foreign.reads])
    draft.foreignRules = [...others, { ...foreign, reads }]
  }
}

/** What the database does to the records that a rule looks at when a third record is removed for good; undefined: nothing. */
function removedSilently(resolution: Resolution, { target, foreign }: Found): string | undefined {
  const removable = (name: string): boolean => resolution.drafts.get(name)?.live === undefined
  const relations = [
    ...(resolution.drafts.get(foreign.by === 'own' ? target : foreign.resource)?.relations.values() ?? []),
  ]
  for (const relation of relations) {
    if (relation.kind !== 'belongs_to' || !removable(relation.target)) continue
    if (foreign.by === 'theirs') {
      const clears = relation.field.column === foreign.field.column && relation.onDelete === 'set_null'
      if (clears) return `clears "${relation.name}" when its record is removed`
      continue
    }
    // With the record that the rule is about, its rule is gone too.
    if (relation.field.column === foreign.field.column) continue
    if (relation.onDelete === 'cascade') return `removes records of "${target}" with those of "${relation.target}"`
    if (relation.onDelete === 'set_null' && foreign.reads.has(relation.field.column))
      return `clears "${relation.name}" of "${target}" when its record is removed`
  }
  return undefined
}

function foreignOf(resolution: Resolution, draft: Draft, rule: RecordRule, filter: Filter): readonly Found[] {
  const { owner: resource, table } = draft
  const one = pathsOf(filter).flatMap(({ relations, field }): Found[] => {
    const [relation] = relations
    if (relation === undefined) return []
    const foreign: ForeignRule = {
      rule,
      resource,
      table,
      by: 'theirs',
      field: relation.field,
      reads: new Set([field.column]),
    }
    return [{ target: relation.target, foreign }]
  })
  const many = relatedIn(filter).flatMap(({ path, of }): Found[] => {
    const link: Field | undefined = path.many.kind === 'has_many' ? path.many.by[0]?.field : undefined
    const live = resolution.drafts.get(path.many.target)?.live
    if (link === undefined) return []
    const looked = [of, path.many.where, live].flatMap((part) =>
      part === undefined ? [] : pathsOf(part).flatMap(columnsOf),
    )
    const foreign: ForeignRule = {
      rule,
      resource,
      table,
      by: 'own',
      field: link,
      reads: new Set([link.column, ...looked]),
    }
    return [{ target: path.many.target, foreign }]
  })
  return [...one, ...many]
}

/** Why a rule can not be judged where others write: the ways on which more than one step leads, and what only a request knows. */
function unfit(filter: Filter): string | undefined {
  const far = pathsOf(filter).find(({ relations }) => relations.length > 1)
  if (far !== undefined) return `"${far.relations.map(({ name }) => name).join('.')}" follows ${far.relations.length}`
  for (const { path, of } of relatedIn(filter)) {
    const through = path.many.kind === 'has_many' && path.many.by.length > 1
    if (path.relations.length > 0 || through || relatedIn(of).length > 0)
      return `"${path.many.name}" is more than one step away`
    if (pathsOf(of).some(({ relations }) => relations.length > 0)) return `what it asks of "${path.many.name}" leads on`
  }
  return speaksOfRequest(filter) ? 'it speaks of the caller, or of what was stored before' : undefined
}

function speaksOfRequest(filter: Filter): boolean {
  if (filter.kind === 'compare') return filter.operand.kind === 'before' || filter.operand.kind === 'actor'
  return filter.kind === 'not' || filter.kind === 'related'
    ? speaksOfRequest(filter.of)
    : filter.of.some(speaksOfRequest)
}
