/** ⇄ Creating several records at once: one transaction, a savepoint each, so that a refused one takes no other with it. */
import type { Resource } from '../catalog/catalog.ts'
import type { Transaction } from '../database/database.ts'
import { ApiError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { Creation } from './context.ts'
import { createRecord } from './create.ts'
import { attempt, type Execution, inTransaction } from './execution.ts'

interface Entry {
  readonly input: JsonObject
  readonly fixed?: JsonObject
}

/** Thrown at the end of a dry run, so that the savepoint around it is rolled back. */
class DryRun extends Error {}

type Open = Execution & { readonly transaction: Transaction }

/** What became of each entry, in order; rejects when the database fails, and then none of them is kept. */
export async function createEach(
  around: Execution,
  resource: Resource,
  entries: readonly Entry[],
  dryRun: boolean,
): Promise<readonly Creation[]> {
  return inTransaction({ ...around, bulk: true }, async (inner) => {
    if (inner.transaction === undefined) throw new Error('a transaction is open here')
    const open: Open = { ...inner, transaction: inner.transaction }
    const outcomes: Creation[] = []
    try {
      await attempt(open, async (all) => {
        for (const entry of entries) outcomes.push(await createOne(all, resource, entry))
        if (dryRun) throw new DryRun()
      })
    } catch (error) {
      if (!(error instanceof DryRun)) throw error
    }
    return outcomes
  })
}

async function createOne(around: Open, resource: Resource, { input, fixed }: Entry): Promise<Creation> {
  try {
    const text = await attempt(around, (inner) => createRecord(inner, resource, input, undefined, fixed))
    return { record: JSON.parse(text) as JsonObject }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { error }
  }
}
