/** `plinth completion bash|zsh|fish`: what makes a shell complete the commands, with those of the application's plugins. */
import { nearest } from '../text/nearest.ts'
import type { ExitCode, Invocation } from './command.ts'
import { type Completed, completionFor, SHELLS } from './completion-scripts.ts'
import { pluginCommands } from './plugin-command.ts'

export async function run({ commands, complain, positionals, say, settings }: Invocation): Promise<ExitCode> {
  const [name = ''] = positionals
  const shell = SHELLS.find((one) => one === name)
  if (shell === undefined) {
    const meant = nearest(name, SHELLS)
    complain(
      `There is nothing for ${name}, but for ${SHELLS.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    )
    return 2
  }
  // A folder without an application, or with mistakes in it, still has the commands of Plinth itself.
  const given = await pluginCommands(settings)
  const own = commands.map(({ name, options = {}, summary, words = [] }): Completed => {
    return { name, summary, options: [...Object.keys(options), 'help'].map((option) => `--${option}`), words }
  })
  const names = [...own.map((command) => command.name), ...given.keys()]
  const all = [
    ...own.map((command) => (command.name === 'help' ? { ...command, words: names } : command)),
    ...[...given].map(([name, { description, words = [] }]): Completed => {
      return { name, summary: description, options: ['--help'], words }
    }),
  ]
  say(completionFor(shell, all))
  return 0
}
