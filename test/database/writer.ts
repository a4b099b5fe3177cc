/** A child process of the tests: writes rows to an embedded database and prints each acknowledged one. */
import { connect } from '../../engine/database/connect.ts'
import { SILENT } from '../support/database.ts'

const database = await connect({ databaseUrl: undefined, dataDir: process.argv[2] ?? '' }, { log: SILENT })
await database.knex.raw('create table if not exists kept (id int primary key)')
for (let id = 1; ; id += 1) {
  await database.compiled.run({ text: 'insert into kept values ($1::int)', name: 'keep' }, [id])
  process.stdout.write(`${id}\n`)
}
