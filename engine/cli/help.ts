/** `plinth help`: all commands with a line each, including those of plugins; or one command. */

import { type ExitCode, type Invocation, lineOf, refuseCommand } from './command.ts'
import { pluginCommands } from './plugin-command.ts'

function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

async function explainOne(name: string, { commands, settings, say, complain }: Invocation): Promise<ExitCode> {
  const own = commands.find((command) => command.name === name)
  const given = own === undefined ? await pluginCommands(settings) : new Map()
  const line = own === undefined ? `plinth ${name}` : lineOf(own)
  const { summary, example } = own ?? { summary: given.get(name)?.description, ...given.get(name) }
  if (summary !== undefined) {
    say(`${line}\n  ${summary}${example === undefined ? '' : `\n\nexample\n  ${example}`}`)
    return 0
  }
  return refuseCommand(name, [...commands.map((command) => command.name), ...given.keys()], complain)
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.positionals
  return name === undefined ? listAll(invocation) : explainOne(name, invocation)
}

async function listAll(invocation: Invocation): Promise<ExitCode> {
  const own = invocation.commands.map(({ name, summary }) => [name, brief(summary)] as const)
  const given = await pluginCommands(invocation.settings)
  invocation.say(`plinth turns a folder of YAML into a running REST backend.\n\nplinth <command>\n${columns(own)}`)
  if (given.size > 0) {
    const rows = [...given].map(([name, { description }]) => [name, brief(description)] as const)
    invocation.say(`\nfrom plugins\n${columns(rows)}`)
  }
  invocation.say('\nplinth help <command> tells its options, and has an example.')
  return 0
}

/** The summary without options and details, so that a line of the list fits into a terminal. */
function brief(summary: string): string {
  return summary.replace(/[;:].*$/s, '')
}
