/** Reads of tables as a plan will leave them ⇄: views of the moment have the names of the tables, over the rows that are there. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { futureRows } from './future.ts'
import { inspect } from './inspect.ts'
import { pairsOf } from './plan.ts'
import { tables } from './tables.ts'

/** A statement that fails ends no transaction. */
function guarded(runner: Runner): Runner {
  return {
    async run(statement, values) {
      await runner.run({ text: 'savepoint plinth_read' }, [])
      try {
        return await runner.run(statement, values)
      } catch (error) {
        await runner.run({ text: 'rollback to savepoint plinth_read' }, [])
        throw error
      }
    },
  }
}

/** Runs `work` on the rows as the catalog will have them; nothing of it stays. */
export function onFutureTables<T>(
  catalog: Catalog,
  database: Database,
  work: (runner: Runner) => Promise<T>,
): Promise<T> {
  const wanted = tables(catalog).filter(({ existing }) => existing !== true)
  return database.session(async (runner) => {
    const pairs = [...pairsOf(wanted, await inspect(runner)).values()]
    const changed = pairs.filter((pair) => futureRows(pair) !== q(pair.wanted.name))
    await runner.run({ text: 'begin' }, [])
    try {
      const inside = guarded(runner)
      const views = changed.map((pair, i) => ({ pair, view: q(`plinth_future_${i}`) }))
      for (const { pair, view } of views)
        await inside.run({ text: `create temporary view ${view} as select * from ${futureRows(pair)} r` }, [])
      // They get their names when none of them reads tables by name any more.
      for (const { pair, view } of views)
        await inside.run({ text: `alter view ${view} rename to ${q(pair.wanted.name)}` }, [])
      return await work(inside)
    } finally {
      await runner.run({ text: 'rollback' }, [])
    }
  })
}
