/** A database with the tables of the library, and the actions of people on it. */
import * as assert from 'uvu/assert'
import type { Database } from '../../engine/database/database.ts'
import { applyTables, migrateTables, planTables } from '../../engine/migration/migrate.ts'
import { renderPlan } from '../../engine/migration/plan-text.ts'
import type { Table } from '../../engine/migration/table.ts'
import { SILENT } from '../support/database.ts'
import { filledDatabase } from '../support/filled.ts'
import { LIBRARY } from './example.ts'

/** As a person who edits the YAML goes from one state to another, back and forth. */
export const EDITED = { log: SILENT, now: new Date('2026-01-31T12:00:00Z'), edited: true }

export interface Library {
  readonly database: Database
  migrated(wanted: readonly Table[]): ReturnType<typeof migrateTables>
  /** The titles of the steps that were applied; no diagnostic is expected. */
  titles(wanted: readonly Table[]): Promise<readonly string[]>
  /** The plan for people, without its first line, which carries a hash. */
  shown(wanted: readonly Table[]): Promise<string>
  /** What a person does who has seen the plan. */
  apply(wanted: readonly Table[]): Promise<void>
  close(): Promise<void>
}

async function fill(database: Database): Promise<void> {
  assert.equal((await migrateTables(LIBRARY, database, EDITED)).diagnostics, [])
}

export async function migratedLibrary(): Promise<Library> {
  const { database, close } = await filledDatabase(fill)
  const migrated = (wanted: readonly Table[]) => migrateTables(wanted, database, EDITED)
  const titles = async (wanted: readonly Table[]) => {
    const { value, diagnostics } = await migrated(wanted)
    assert.equal(diagnostics, [])
    return value?.applied ?? []
  }
  return {
    database,
    migrated,
    titles,
    shown: async (wanted) => {
      const text = renderPlan((await planTables(wanted, database, EDITED.now)).value)
      return text.split('\n').slice(1).join('\n').trimEnd()
    },
    apply: async (wanted) => {
      const { hash } = (await planTables(wanted, database, EDITED.now)).value
      assert.equal((await applyTables(wanted, database, hash, EDITED)).diagnostics, [])
    },
    close,
  }
}
