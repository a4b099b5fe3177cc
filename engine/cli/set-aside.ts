/**
 * Commands about data that the YAML no longer names: `plinth purge` lists it, and destroys it with --yes; `plinth
 * restore-field` lists it too, and brings back what is named.
 */
import { type Purged, purge, purgeable, restoreField } from '../migration/set-aside.ts'
import { tableAndColumn, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

function lines(things: readonly Purged[], done: string): string {
  return things
    .map(({ name, rows }) => `${done} ${name} (${rows} ${rows === 1 ? 'row' : 'rows'} with values)`)
    .join('\n')
}

export function purging(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, say, complain } = invocation
  const [name] = positionals
  return withDatabase(invocation, async (database, { catalog }) => {
    const chosen = name === undefined ? [] : tableAndColumn(name, catalog)
    const sure = options.yes === true
    const things = await (sure ? purge : purgeable)(database, ...chosen)
    if (things.length === 0 && name !== undefined) {
      complain(`Nothing was set aside under the name ${name}.`)
      return 1
    }
    if (things.length === 0) say('Nothing is set aside.')
    else if (sure) say(lines(things, 'destroyed'))
    else
      say(
        `${lines(things, 'would destroy')}\nThere is no way back. To destroy it: plinth purge${name === undefined ? '' : ` ${name}`} --yes`,
      )
    return 0
  })
}

export function restoring(invocation: Invocation): Promise<ExitCode> {
  const { positionals, say } = invocation
  const [name] = positionals
  return withDatabase(invocation, async (database, { catalog }) => {
    if (name !== undefined) {
      say(await restoreField(database, ...tableAndColumn(name, catalog)))
      return 0
    }
    const things = await purgeable(database)
    if (things.length === 0) say('Nothing is set aside.')
    else
      say(
        `${lines(things, 'can bring back')}\nOf each the name before "__removed": plinth restore-field <resource>[.<field>]`,
      )
    return 0
  })
}
