/** The ids of the roles and settings with which the desk was seeded. */
import type { PluginContext, Transaction } from '../../../engine/index.ts'
import type { Random } from './random.ts'

/** The place and time of the demo. */
export interface Scene {
  readonly catalog: PluginContext['catalog']
  readonly model: PluginContext['model']
  readonly transaction: Transaction
  readonly random: Random
  /** A separate random generator for times, so that times decide nothing else. */
  readonly clock: Random
  readonly now: Date
}

/** Name (slug for roles and statuses) → id. */
export type Names = ReadonlyMap<string, number>

export interface Ids {
  readonly roles: Names
  readonly statuses: Names
  readonly priorities: Names
  readonly categories: Names
  readonly departments: Names
  readonly types: Names
}

/** The roles and settings that the demo needs. */
const NEEDED = {
  roles: ['manager', 'agent', 'customer'],
  statuses: ['open', 'pending', 'in-progress', 'resolved', 'closed', 'cancelled'],
  priorities: ['Low', 'Medium', 'High', 'Critical'],
} as const

/** The roles, statuses and priorities that somebody has renamed or deleted since the first start. */
export function missingNames(ids: Ids): readonly string[] {
  const kinds = ['roles', 'statuses', 'priorities'] as const
  return kinds.flatMap((kind) => NEEDED[kind].filter((name) => !ids[kind].has(name)))
}

/** The live settings by their names. */
export async function readIds({ model }: Pick<Scene, 'model'>): Promise<Ids> {
  const names = async (resource: string, by: 'name' | 'slug'): Promise<Names> => {
    const rows = await model(resource).query().modify('live').select('id', `${by} as name`)
    return new Map(rows.map(({ id, name }) => [String(name), Number(id)]))
  }
  return {
    roles: await names('roles', 'slug'),
    statuses: await names('statuses', 'slug'),
    priorities: await names('priorities', 'name'),
    categories: await names('categories', 'name'),
    departments: await names('departments', 'name'),
    types: await names('types', 'name'),
  }
}

/** Inserts rows in portions below PostgreSQL's limit of parameters; returns their ids in order. */
export async function insert(
  { model }: Scene,
  resource: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<number[]> {
  const ids: number[] = []
  for (let at = 0; at < rows.length; at += 500) {
    const made = await model(resource)
      .query()
      .insert(rows.slice(at, at + 500))
      .castTo<{ id: number }[]>()
    ids.push(...made.map(({ id }) => id))
  }
  return ids
}

const DAY = 86_400_000

/** A moment of a working day, this many days ago. */
export function daysAgo({ now, random }: Scene, days: number): Date {
  const midnight = Math.floor(now.getTime() / DAY) * DAY
  const moment = midnight - days * DAY + (7 * 60 + random.below(10 * 60)) * 60_000 + random.below(60_000)
  return new Date(Math.min(moment, now.getTime() - random.below(3_600_000) - 1))
}
