/** ⇄ The stored records that break a rule which was added after them: counted for the plan, listed by `check --data`. */
import { SYSTEM } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { Row, Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import { type Compiled, parameterValues } from '../statement/compiled.ts'
import { conditionSql } from '../statement/condition.ts'
import { bindsStored, compileCounted, compileOversized, compileViolations } from '../statement/rule-violations.ts'
import { position, type Span } from '../text/source.ts'

/** The records that break one rule. */
export interface Violation {
  readonly resource: Resource
  readonly rule: { readonly name: string; readonly span: Span }
  /** `3 records break`, `there are 0 of at least 1 for`. */
  readonly words: string
  /** The first ids; none where records are missing. */
  readonly ids: readonly Id[]
  /** Whether there are more than these. */
  readonly more: boolean
}

type Ask = (compiled: Compiled) => Promise<Row | undefined>

/** Looks at the live records of every table for those that break its rules. What is not in the database yet has none. */
export async function violations(catalog: Catalog, runner: Runner, now: Date): Promise<readonly Violation[]> {
  const ask: Ask = async ({ statement, parameters }) => {
    const rows = runner.run(statement, parameterValues(parameters, { actor: SYSTEM, now, slots: {} }))
    return (await ifThere(rows))?.[0]
  }
  const found: Violation[] = []
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name) continue
    found.push(...(await broken(catalog, ask, resource)), ...(await oversized(catalog, ask, resource)))
    found.push(...(await missing(catalog, ask, resource)))
  }
  return found
}

async function broken(catalog: Catalog, ask: Ask, resource: Resource): Promise<readonly Violation[]> {
  const found: Violation[] = []
  for (const rule of resource.rules.filter(bindsStored)) {
    const row = await ask(compileViolations({ catalog, actor: SYSTEM }, resource, rule))
    found.push(...violationOf(resource, rule, row))
  }
  return found
}

/** More than a rule allows, or several of what there is to be one of. */
async function oversized(catalog: Catalog, ask: Ask, resource: Resource): Promise<readonly Violation[]> {
  const groups = [
    ...resource.counts.flatMap(({ name, span, per, most, where }) =>
      most === undefined
        ? []
        : [{ name, span, per, most, where: where === undefined ? [] : [conditionSql(catalog, where, 't')] }],
    ),
    ...resource.soles.map(({ name, span, per, field }) => {
      return { name, span, per, most: 1, where: [sql`t.${quoted(field.column)}`] }
    }),
  ]
  const found: Violation[] = []
  for (const group of groups)
    found.push(
      ...violationOf(resource, group, await ask(compileOversized({ catalog, actor: SYSTEM }, resource, group))),
    )
  return found
}

/** Fewer than a rule wants; a table without any record has not begun. */
async function missing(catalog: Catalog, ask: Ask, resource: Resource): Promise<readonly Violation[]> {
  const found: Violation[] = []
  const scope = { catalog, actor: SYSTEM }
  for (const rule of resource.counts) {
    if (rule.least === undefined || rule.per.length > 0) continue
    const all = Number((await ask(compileCounted(scope, resource, undefined)))?.[0] ?? 0)
    const count = Number((await ask(compileCounted(scope, resource, rule.where)))?.[0] ?? rule.least)
    if (all === 0 || count >= rule.least) continue
    found.push({ resource, rule, words: `there are ${count} of at least ${rule.least} for`, ids: [], more: false })
  }
  return found
}

function violationOf(resource: Resource, rule: Violation['rule'], row: Row | undefined): readonly Violation[] {
  const count = Number(row?.[0] ?? 0)
  if (count === 0) return []
  const ids = JSON.parse(row?.[1] ?? '[]') as Id[]
  const words = count === 1 ? '1 record breaks' : `${count} records break`
  return [{ resource, rule, words, ids, more: count > ids.length }]
}

/** One sentence about it for a plan: what comes of it, and where to find all of it. */
export function violationWords({ resource, rule, words, ids }: Violation): string {
  const rest = ids.length === 0 ? '' : ' They stay; the next write that the rule concerns must mend them.'
  return `${resource.name}: ${words} the rule ${rule.name}.${rest} \`plinth check --data\` lists them.`
}

/** One line about it: `bookings: 3 records break ends_after_it_starts (bookings.yaml:18:3): 4, 9, 12`. */
export function violationLine({ resource, rule, words, ids, more }: Violation): string {
  const { source, start } = rule.span
  const { line, column } = position(source, start)
  const list = ids.length === 0 ? '' : `: ${ids.join(', ')}${more ? ', …' : ''}`
  return `${resource.name}: ${words} ${rule.name} (${source.file}:${line}:${column})${list}`
}
