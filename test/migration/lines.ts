/** A small table in addition to the library, and a watched migration of it. */
import type { Database, Runner } from '../../engine/database/database.ts'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { SILENT } from '../support/database.ts'
import { LIBRARY } from './example.ts'
import { EDITED } from './world.ts'

/** The tables of the library with those of a file of lines. */
export function linesOf(file: string): readonly Table[] {
  return [...LIBRARY, ...tables(resolved({ lines: file })).filter(({ name }) => name === 'lines')]
}

export function lines(fields: string): readonly Table[] {
  return linesOf(`fields: { ${fields} }\npolicies: { view: [{ who: anyone }] }`)
}

export const BEFORE = lines('name: { type: string }, rank: { type: integer }')

export interface Watched {
  readonly database: Database
  /** What ran since `forget`, but for what is kept of the steps. */
  readonly ran: () => readonly string[]
  readonly forget: () => void
  /** The migration's own connection: the embedded database has no other. */
  readonly runner: () => Runner
}

export function watched(database: Database): Watched {
  let ran: string[] = []
  let current: Runner | undefined
  const session: Database['session'] = (work) =>
    database.session((runner) => {
      current = runner
      return work({
        run: (statement, values) => {
          ran.push(statement.text)
          return runner.run(statement, values)
        },
      })
    })
  return {
    database: { ...database, kind: database.kind, session },
    ran: () => ran.filter((text) => /^(alter|create|drop|update "|with plinth_batch)/.test(text)),
    forget: () => {
      ran = []
    },
    runner: () => current!,
  }
}

/** A database whose sessions do nothing any more once their process is killed: by a call, or behind so many statements. */
export function mortal(
  database: Database,
  lifetime = Number.POSITIVE_INFINITY,
): { readonly database: Database; readonly kill: () => void } {
  let left = lifetime
  const session: Database['session'] = (work) =>
    database.session((runner) =>
      work({
        run: (statement, values) => {
          left -= 1
          return left < 0 ? Promise.reject(new Error('the process is gone')) : runner.run(statement, values)
        },
      })
        .finally(() => runner.run({ text: 'rollback' }, []).catch(() => {}))
        .finally(() => unlock(database, runner)),
    )
  return {
    database: { ...database, kind: database.kind, session },
    kill: () => {
      left = 0
    },
  }
}

/** A session that ends gives its locks back. */
async function unlock({ kind }: Database, runner: Runner): Promise<void> {
  if (kind === 'postgresql') await runner.run({ text: 'select pg_advisory_unlock_all()' }, [])
}

export const write = (text: string) => (runner: Runner) => runner.run({ text }, [])
export const insert = write(`insert into lines (name, rank) values ('meanwhile', null) returning rank`)

/** Migrates, and calls `meanwhile` before what is served is altered for the first time. */
export function migrating(wanted: readonly Table[], on: Watched, meanwhile: (runner: Runner) => Promise<void>) {
  let called = false
  const begin = async (): Promise<void> => {
    if (called) return
    called = true
    await meanwhile(on.runner())
    on.forget()
  }
  const pause = { begin, end: async () => {}, giveBack: async () => {} }
  return migrateTables(wanted, on.database, { ...EDITED, log: SILENT, pause })
}
