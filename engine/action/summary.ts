/** ⇄ Figures of the records of a list, by groups. */
import type { Resource } from '../catalog/catalog.ts'
import { readSummaryQuery } from '../query/summary-query.ts'
import { compileSummary } from '../query/summary-statement.ts'
import { allReady } from './cached-tables.ts'
import { type Execution, runCompiled } from './execution.ts'
import { withKept } from './read.ts'

/** Groups as JSON texts, and whether there are more than were asked for. */
export interface Summary {
  readonly groups: readonly string[]
  readonly more: boolean
}

/** The groups of the records within the actor's reach that the query finds. Throws as the list does. */
export async function summarize(
  execution: Execution,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
): Promise<Summary> {
  const { plan, slots } = readSummaryQuery(execution, resource, query)
  const { actor, catalog } = execution
  return withKept(execution, async (kept) => {
    const compiled = execution.statements.get(compileSummary, { catalog, actor, kept }, plan)
    await allReady(compiled.kept)
    const rows = await runCompiled(execution, compiled, slots, true)
    const groups = rows.slice(0, plan.limit).map((row) => compiled.serialize(row))
    return { groups, more: rows.length > plan.limit }
  })
}
