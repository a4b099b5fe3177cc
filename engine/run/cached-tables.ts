/** ⇄ Small lookup tables kept in the process as JSON fragments, so that embedding them costs no join. */

import { randomUUID } from 'node:crypto'
import type { Catalog, EmbedEntry, Resource } from '../catalog/catalog.ts'
import { isStored, targetOf } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { LIMITS } from '../limits.ts'
import type { KeptEmbed, KeptEmbeds } from '../statement/compiled.ts'
import { compileKept } from '../statement/select.ts'

/** Every cached table of one catalog. */
export interface CachedTables extends KeptEmbeds {
  /** The same without the records of a table, for statements that write it; one object for each table. */
  without(table: string): KeptEmbeds
  /** Different for every instance, and for every catalog in one instance. */
  readonly id: string
  /** The tables whose records may be kept, here or by another instance. */
  readonly names: ReadonlySet<string>
  /** Reads everything that is kept of a table again; resolves when that is done. */
  changed(table: string): Promise<void>
}

/** A row names a record that is not kept, because it was created after the table was read. */
export class KeptEmbedMiss extends Error {}

/** Resolves when every kept embed is there; without a turn of the event loop when they are. */
export async function allReady(kept: readonly KeptEmbed[]): Promise<void> {
  const readings = kept.flatMap((embed) => embed.ready() ?? [])
  if (readings.length > 0) await Promise.all(readings)
}

/** The cached tables of a catalog, each read when it is first needed. */
export function createCachedTables(catalog: Catalog, runner: Runner, clock: () => number): CachedTables {
  const tables = new Map<string, Kept>()
  const tooLarge = new Set<string>()
  const others = new Map<string, KeptEmbeds>()
  const made: CachedTables = {
    id: randomUUID(),
    names: new Set([...catalog.resources.values()].filter((one) => one.cached).map((one) => one.table)),
    of(relation, entries) {
      const target = targetOf(catalog, relation)
      if (!target.cached || tooLarge.has(target.name) || !entries.every((entry) => isOwn(target, entry)))
        return undefined
      const key = `${target.name}:${entries.map(({ name, value }) => `${name}=${value.kind === 'field' ? value.path.field.name : ''}`).join()}`
      let kept = tables.get(key)
      if (kept === undefined) {
        kept = keep(target, entries, runner, clock, () => tooLarge.add(target.name))
        tables.set(key, kept)
      }
      return kept
    },
    without(table) {
      const isOther = (name: string): boolean => catalog.resources.get(name)?.table !== table
      const found = others.get(table) ?? {
        of: (to, entries) => (isOther(to.target) ? made.of(to, entries) : undefined),
      }
      others.set(table, found)
      return found
    },
    async changed(table) {
      await Promise.all([...tables.values()].filter((kept) => kept.table === table).map((kept) => kept.refresh()))
    },
  }
  return made
}

/** Only what every reader of the record sees alike can be kept: plain columns of its own. */
function isOwn(target: Resource, { value }: EmbedEntry): boolean {
  if (value.kind !== 'field' || value.path.relations.length > 0) return false
  const field = target.fields.get(value.path.field.name)
  return field !== undefined && isStored(field) && field.read === undefined
}

interface Kept extends KeptEmbed {
  readonly table: string
  /** Reads the table again; for a record that was written by another instance a moment ago. */
  refresh(): Promise<void>
}

/** What the latest reading found; readings are numbered as they begin, because they may end in another order. */
function latest<T>(): {
  readonly value: T | undefined
  begin(): number
  end(number: number, found: T | undefined): void
} {
  let begun = 0
  let applied = 0
  let value: T | undefined
  return {
    get value() {
      return value
    },
    begin: () => ++begun,
    end(number, found) {
      // A later reading has seen all that an earlier one has; the earlier must not undo it, nor that it failed.
      if (number < applied) return
      applied = number
      value = found
    },
  }
}

function keep(
  target: Resource,
  entries: readonly EmbedEntry[],
  runner: Runner,
  clock: () => number,
  outgrown: () => void,
): Kept {
  const { statement, serialize } = compileKept(target, entries)
  const fragments = latest<ReadonlyMap<string, string>>()
  let readAt = 0
  let reading: Promise<void> | undefined

  const refresh = async (): Promise<void> => {
    const number = fragments.begin()
    try {
      const rows = await runner.run(statement, [])
      if (rows.length > LIMITS.lookupRows) outgrown()
      fragments.end(number, new Map(rows.map((row) => [row[0]!, serialize(row)])))
      readAt = clock()
    } catch (error) {
      fragments.end(number, undefined)
      throw error
    }
  }
  const once = (): Promise<void> => {
    reading ??= refresh().finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    table: target.table,
    fragment(id) {
      const found = fragments.value?.get(id)
      if (found === undefined) throw new KeptEmbedMiss(id)
      return found
    },
    ready() {
      if (fragments.value === undefined) return once()
      // Old fragments serve this request while newer ones are fetched for the next.
      if (clock() - readAt > LIMITS.lookupMs) once().catch(() => undefined)
      return undefined
    },
    refresh,
  }
}
