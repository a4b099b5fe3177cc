/** `plinth help`: every command with its line, those of the application's plugins too. */
import type { ExitCode, Invocation } from './command.ts'
import { pluginCommands } from './plugin-command.ts'

function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const own = invocation.commands.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary] as const)
  const given = await pluginCommands(invocation.settings)
  invocation.say(`plinth turns a folder of YAML into a running REST backend.\n\nplinth <command>\n${columns(own)}`)
  if (given.size > 0) {
    const rows = [...given].map(([name, { description }]) => [name, description] as const)
    invocation.say(`\nfrom plugins\n${columns(rows)}`)
  }
  return 0
}
