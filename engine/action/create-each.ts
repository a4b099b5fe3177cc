/** ⇄ Creating several records at once: one transaction, a savepoint each, so that a refused one takes no other with it. */
import type { Resource } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Creation, CreationEntry, ParentEntry } from './context.ts'
import { createRecord } from './create.ts'
import { createTogether } from './create-together.ts'
import { attempt, type Execution, inTransaction, tryOut, type Within } from './execution.ts'

/** What became of each entry, in order; rejects when the database fails, and then none of them is kept. */
export async function createEach(
  around: Execution,
  resource: Resource,
  entries: readonly CreationEntry[],
  dryRun: boolean,
): Promise<readonly Creation[]> {
  return inTransaction({ ...around, bulk: true }, (inner) =>
    (dryRun ? tryOut : attempt)(inner, async (all) => {
      const outcomes: Creation[] = []
      const parents = new Map<string, Id>()
      for (let at = 0; at < entries.length; at += LIMITS.batchUnit)
        outcomes.push(...(await createSome(all, resource, entries.slice(at, at + LIMITS.batchUnit), parents)))
      return outcomes
    }),
  )
}

/** Creates them at once where that is possible, and else each behind a savepoint of its own. */
async function createSome(
  around: Within,
  resource: Resource,
  entries: readonly CreationEntry[],
  known: Map<string, Id>,
): Promise<readonly Creation[]> {
  const alone = entries.every(({ parents = [] }) => parents.length === 0)
  const texts = alone
    ? await createTogether(
        around,
        resource,
        entries.map(({ fixed, input }) => ({ body: input, fixed })),
      )
    : []
  if (texts.length > 0) return texts.map((text) => ({ record: JSON.parse(text) as JsonObject, made: {} }))
  const outcomes: Creation[] = []
  for (const entry of entries) outcomes.push(await createOne(around, resource, entry, known))
  return outcomes
}

async function createOne(
  around: Within,
  resource: Resource,
  { fixed, input, parents = [] }: CreationEntry,
  known: Map<string, Id>,
): Promise<Creation> {
  const made: Record<string, Id> = {}
  try {
    const text = await attempt(around, async (inner) => {
      const complete: Record<string, Json> = { ...input }
      for (const parent of parents) {
        let id = known.get(nameOf(parent))
        if (id === undefined) {
          id = await createParent(inner, parent)
          made[parent.field] = id
        }
        complete[parent.field] = id
      }
      return createRecord(inner, resource, complete, undefined, fixed)
    })
    for (const parent of parents) {
      const id = made[parent.field]
      if (id !== undefined) known.set(nameOf(parent), id)
    }
    return { record: JSON.parse(text) as JsonObject, made }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { error }
  }
}

function nameOf({ name, resource }: ParentEntry): string {
  return `${resource} ${name}`
}

/** Creates what a record belongs to; what is wrong with it is wrong with the field that would hold its id. */
async function createParent(inner: Within, { field, fixed, input, resource: name }: ParentEntry): Promise<Id> {
  const resource = inner.catalog.resources.get(name)
  if (resource === undefined) throw new Error(`no resource is named ${name}`)
  try {
    return (JSON.parse(await createRecord(inner, resource, input, undefined, fixed)) as { id: Id }).id
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const sentences = Object.values(error.params.errors ?? { record: [error.message] }).flat()
    throw invalid({ [field]: sentences.map((one) => `The ${resource.label.toLowerCase()} can't be created: ${one}`) })
  }
}
