/** ⇄ Pairs of a joining resource that a list of ids makes and removes: each is a record of that resource, written like any other. */
import type { ManyToMany, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import { storedFields } from '../catalog/stored.ts'
import { isRefusal } from '../error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { compileComing, compileLeaving } from '../query/links.ts'
import { isPairHeard } from './cascade.ts'
import { createOther, deleteOther } from './consequence.ts'
import { attempt, type Execution, inTransaction, runCompiled, type Within } from './execution.ts'

/** The links that a record is to have. */
interface Pairing {
  readonly resource: Resource
  readonly id: Id
  readonly relation: ManyToMany
  readonly ids: readonly Id[]
  readonly joining: Resource
  readonly target: Resource
}

/** The resource whose records the pairs are, where anything hears of one that comes or goes. */
export function joiningOf({ catalog }: Execution, { through }: ManyToMany): Resource | undefined {
  const joining = [...catalog.resources.values()].find(
    ({ name, owner, table }) => table === through.table && owner === name,
  )
  return joining !== undefined && isPairHeard(joining) ? joining : undefined
}

/** Removes and makes pairs until the record has these links, as far as the caller sees them; gives the ids that came or went. */
export async function writePairs(around: Execution, pairing: Pairing): Promise<readonly Id[]> {
  const { id, ids, joining, relation, resource, target } = pairing
  const gone = await runCompiled(around, compileLeaving(around, resource, relation, joining), { id, ids }, true)
  const come = await runCompiled(around, compileComing(around, resource, relation), { id, ids }, true)
  const leaving = gone.map(([pair]) => idOf(joining, pair))
  const coming = come.map(([other]) => idOf(target, other))
  await inTransaction(around, async (inner) => {
    const leave = async (all: Execution): Promise<void> => {
      for (const pair of leaving) await deleteOther(all, joining, pair)
    }
    const arrive = async (all: Execution): Promise<void> => {
      for (const other of coming) await createOther(all, joining, pairOf(pairing, other))
    }
    await either(inner, leave, arrive, leaving.length > 0 && coming.length > 0)
  })
  return [...gone.map(([, other]) => idOf(target, other)), ...coming]
}

type Step = (inner: Execution) => Promise<void>

/** A list replaces pairs at once: whether too many or too few of them are there in between is no matter. */
async function either(inner: Within, first: Step, second: Step, matters: boolean): Promise<void> {
  if (!matters) {
    await first(inner)
    return second(inner)
  }
  try {
    await attempt(inner, async (all) => {
      await first(all)
      await second(all)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    await second(inner)
    await first(inner)
  }
}

function pairOf({ id, joining, relation }: Pairing, other: Id): JsonObject {
  const { from, to } = relation.through
  const nameOf = (column: string): string => storedFields(joining).find((field) => field.column === column)!.name
  return { [nameOf(from)]: id, [nameOf(to)]: other }
}
