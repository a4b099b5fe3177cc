/** A command line from its words to its exit code; a message about a wrong word says what would be right. */
import { parseArgs } from 'node:util'
import { createLogger } from '../observe.ts'
import { readSettings, type Settings } from '../settings.ts'
import { nearest } from '../text/nearest.ts'
import { renderDiagnostics } from '../text/render.ts'
import { printable } from '../text/visible.ts'
import { type Command, type ExitCode, type Invocation, lineOf, refuseCommand } from './command.ts'
import { COMMANDS } from './commands.ts'

/** The parts of the process that a command line may use. */
export interface World extends Pick<Invocation, 'say' | 'complain' | 'color' | 'stopped' | 'onHangup'> {
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Words {
  readonly positionals: readonly string[]
  readonly options: Invocation['options']
}

/** The words that ask for help. */
const ASKS = new Set(['--help', '-h'])

/** The words after the command's name, or a sentence about their mistake. */
function readWords(command: Command, args: readonly string[]): Words | string {
  const options = command.options ?? {}
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    const [least, most] = command.takes ?? [0, 0]
    if (positionals.length < least) return `plinth ${command.name} needs more words.`
    if (positionals.length > most) return `plinth ${command.name} does not know what to do with "${positionals[most]}".`
    return { positionals, options: values as Invocation['options'] }
  } catch {
    const known = Object.keys(options).map((name) => `--${name}`)
    const wrong = args.find((word) => word.startsWith('-') && !known.includes(word.split('=')[0] ?? ''))
    if (wrong === undefined) return misused(command, args)
    const meant = nearest(wrong, known)
    return `plinth ${command.name} has no option ${wrong}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
  }
}

/** The option without its value, or with one that it does not take. */
function misused({ name, options = {} }: Command, args: readonly string[]): string {
  const given = args.flatMap((word, index) => {
    const [option = '', value] = word.split('=')
    const type = options[option.replace(/^--/, '')]?.type
    if (!word.startsWith('--') || type === undefined) return []
    if (type === 'boolean') return value === undefined ? [] : [`The option ${option} of plinth ${name} takes no value.`]
    const next = args[index + 1]
    const has = value !== undefined || (next !== undefined && !next.startsWith('-'))
    return has ? [] : [`The option ${option} of plinth ${name} has no value.`]
  })
  return given[0] ?? `An option of plinth ${name} has no value, or one that it does not take.`
}

function settingsOf(world: World): Settings | undefined {
  const { value, diagnostics } = readSettings(world.env)
  if (value === undefined) world.complain(renderDiagnostics(diagnostics, { color: world.color }).trimEnd())
  return value
}

/** Runs a word that is no command of Plinth: the command of a plugin, or a mistake. */
async function runOther(word: string, args: readonly string[], world: World): Promise<ExitCode> {
  const settings = settingsOf(world)
  if (settings === undefined) return 1
  const { runPluginCommand } = await import('./plugin-command.ts')
  const log = createLogger(settings)
  const ran = await runPluginCommand(word, args, { ...world, settings, log })
  if (typeof ran === 'number') return ran
  return refuseCommand(word, [...COMMANDS.map((command) => command.name), ...ran.known], world.complain)
}

/** `plinth plan --help` means `plinth help plan`, and never runs the command. */
function asked(word: string, rest: readonly string[]): readonly [name: string, rest: readonly string[]] {
  if (ASKS.has(word)) return ['help', rest]
  if (word === '--version' || word === '-v') return ['version', rest]
  return word !== 'help' && rest.some((one) => ASKS.has(one)) ? ['help', [word]] : [word, rest]
}

/** Runs a command line; returns 0 when done, 1 when refused, 2 for wrong words. */
export function runCommandLine(args: readonly string[], world: World): Promise<ExitCode> {
  const say = (text: string) => world.say(printable(text, world.color))
  return runWords(args, { ...world, say, complain: (text) => world.complain(printable(text, world.color)) })
}

async function runWords(args: readonly string[], world: World): Promise<ExitCode> {
  const [word = 'help', ...others] = args
  const [name, rest] = asked(word, others)
  const command = COMMANDS.find((known) => known.name === name)
  if (command === undefined) return runOther(name, rest, world)
  const words = readWords(command, rest)
  if (typeof words === 'string') {
    world.complain(`${words} Use: ${lineOf(command)}`)
    return 2
  }
  const settings = settingsOf(world)
  if (settings === undefined) return 1
  const { run } = await command.load()
  return run({ ...world, ...words, settings, log: createLogger(settings), commands: COMMANDS })
}
