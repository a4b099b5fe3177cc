/** `plinth dump <file>`: the whole application in one file, also while it is served. */
import { dump } from '../dump/dump.ts'
import { visible } from '../text/visible.ts'
import { isBegun, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { askedFor, bytesOf, notThere, tallied } from './dump-report.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
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
