/** `plinth load <file>`: an empty database is filled from a dump, all of it or nothing. */
import { connect } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { load } from '../dump/load.ts'
import { sentenceOf } from '../error.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { notThere, tallied } from './dump-report.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, settings, log, say, complain } = invocation
  const [file = ''] = positionals
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  let database: Database | undefined
  try {
    // A server that has the embedded database open would go on with what it remembers.
    database = await connect(settings, { log })
    const how = { asDumped: options['as-dumped'] === true, otherSecret: options['other-secret'] === true }
    const done = await load({ catalog, database, settings, files: composition.files, ...how }, file)
    const { name, from, madeAt } = done.head
    say(`Loaded ${tallied(done)}: ${name} as it was in ${from} at ${madeAt}.`)
    say(`Every row was read back and compared: the checksums of all ${done.tables} tables are those of the dump.`)
    if (done.objects.length > 0) say(notThere(done.objects))
    if (done.missing > 0) complain(`${done.missing} files that rows name were not there when it was dumped.`)
    if (done.secretDiffers)
      complain(
        'The secret is another one: everybody signs in again, and what was sealed with the old one cannot be read any more.',
      )
    return 0
  } catch (error) {
    complain(`Nothing was loaded. ${sentenceOf(error)}`)
    return 1
  } finally {
    await database?.close()
  }
}
