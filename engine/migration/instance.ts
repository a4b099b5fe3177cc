/** Which application a database belongs to ⇄: an id, made once and kept there, that follows the data wherever it goes. */
import type { Database } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { FACT_TABLE } from './engine-tables.ts'

/** Writes the id only where there is none, and gives the one that stands there: also of several that start at once. */
const OWN = `insert into ${q(FACT_TABLE.name)} as held (name, value) values ('instance', $1)
  on conflict (name) do update set value = held.value returning value`

/** The id of the application whose database this is; `newId` makes it at the first start. */
export async function instanceOf(database: Database, newId: () => string): Promise<string> {
  const text = `select value from ${q(FACT_TABLE.name)} where name = 'instance'`
  const [known] = await database.adhoc.run({ text }, [])
  const [row] = known === undefined ? await database.adhoc.run({ text: OWN }, [newId()]) : [known]
  if (row?.[0] === null || row?.[0] === undefined) throw new Error('the database gave no instance id')
  return row[0]
}
