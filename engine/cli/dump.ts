/**
 * `plinth dump <file>` writes the whole application into one file, also while it is served; `plinth load <file>` fills
 * an empty database from it, all or nothing.
 */

import { connect } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { type Dumped, dump } from '../dump/dump.ts'
import type { Tally } from '../dump/format.ts'
import { load } from '../dump/load.ts'
import { sentenceOf } from '../error.ts'
import { visible } from '../text/visible.ts'
import { isBegun, readApplication, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function dumping(invocation: Invocation): Promise<ExitCode> {
  const { positionals, settings, say, complain } = invocation
  const [file = ''] = positionals
  if (!isBegun(invocation)) return 1
  return withDatabase(invocation, async (database, { catalog, composition }) => {
    const { files } = composition
    const done = await dump({ catalog, database, settings, files, now: new Date() }, file, (left) => {
      for (const lines of askedFor(left)) say(lines)
    })
    say(`Dumped ${tallied(done)} into ${file} (${bytesOf(done.bytes)}).`)
    if (done.left.length > 0)
      say(`Not part of the application, and not in the dump: ${done.left.map(visible).join(', ')}.`)
    if (done.objects.length > 0) say(notThere(done.objects))
    if (done.missing > 0) complain(`${done.missing} files that rows name are not there, and so not in the dump.`)
    return 0
  })
}

export async function loading(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, settings, log, say, complain } = invocation
  const [file = ''] = positionals
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  let database: Database | undefined
  try {
    // A server with the embedded database open would go on with what it remembers.
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

function number(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}

/** `3 tables, 1,204 rows and 1 file`. */
function tallied({ tables, rows, files }: Tally): string {
  return `${number(tables, 'table')}, ${number(rows, 'row')} and ${number(files, 'file')}`
}

/** A size for people: `3.2 MB`. */
function bytesOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Objects of the dumped schema that somebody must make by hand after the load. */
function notThere(objects: readonly string[]): string {
  return ['Not in the dump, and made by hand where it is loaded:', ...objects.map((one) => `  ${one}`)].join('\n')
}

/** What the dumped tables need of the database that they are loaded into. */
export function askedFor({ asked, extensions }: Pick<Dumped, 'asked' | 'extensions'>): readonly string[] {
  const listed = (head: string, of: readonly string[]) =>
    of.length === 0 ? [] : [[head, ...of.map((one) => `  ${one}`)].join('\n')]
  return [
    ...listed('No dump can make these. Make them by hand before the load:', asked),
    ...listed('The server that it is loaded into must have these extensions:', extensions),
  ]
}
