/**
 * A command of the command line: its line in the help, its arguments, and the place of its code. Also the answer to an
 * unknown command.
 */

import type { ParseArgsConfig } from 'node:util'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import { nearest } from '../text/nearest.ts'

/** What a command gets; it writes through `say` and `complain`, and never touches the process. */
export interface Invocation {
  readonly settings: Settings
  readonly log: Logger
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** One or more lines for standard output. */
  say(text: string): void
  /** One or more lines for standard error. */
  complain(text: string): void
  /** Whether standard output is a terminal that shows colours. */
  readonly color: boolean
  /** Resolves when the process is asked to stop. */
  readonly stopped: Promise<void>
  /** Calls `act` whenever the process gets a SIGHUP from something other than its terminal, which then does not end it. */
  onHangup(act: () => void): void
  /** Every command of Plinth, in the order of the help. */
  readonly commands: readonly Command[]
}

/** 0: done. 1: refused, with a reason. 2: a wrong command line. 3: a plan has changes, where that was asked. */
export type ExitCode = number

export interface CommandModule {
  run(invocation: Invocation): Promise<ExitCode>
}

export interface Command {
  readonly name: string
  /** The words after the name: `<file> [--now]`. */
  readonly usage: string
  readonly summary: string
  /** A useful command line. */
  readonly example: string
  /** First words for the completion of shells; absent where the command takes files or names. */
  readonly words?: readonly string[]
  readonly options?: NonNullable<ParseArgsConfig['options']>
  /** The least and the most positional arguments. */
  readonly takes?: readonly [least: number, most: number]
  /** Loaded when it runs, so that help does not wait for the database's libraries. */
  readonly load: () => Promise<CommandModule>
}

/** The command line of a command: `plinth apply <hash>`. */
export function lineOf({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return usage === '' ? `plinth ${name}` : `plinth ${name} ${usage}`
}

/** Our command → its names in other programs. */
const OTHERS: Readonly<Record<string, string>> = {
  init: 'new create scaffold',
  add: 'generate g make',
  'start --watch': 'dev develop watch',
  start: 'serve server run up',
  check: 'validate lint verify',
  apply: 'migrate deploy push db:migrate',
  plan: 'status preview',
  dump: 'backup export',
  load: 'restore',
  doctor: 'health diagnose',
}

/** Reports an unknown command, with the one that other programs call so, or else the nearest. */
export function refuseCommand(word: string, known: readonly string[], complain: (text: string) => void): ExitCode {
  const [ours] = Object.entries(OTHERS).find(([, theirs]) => theirs.split(' ').includes(word.toLowerCase())) ?? []
  const meant = ours ?? nearest(word, known)
  complain(`There is no command ${word}.${meant === undefined ? '' : ` Did you mean ${meant}?`} See: plinth help`)
  return 2
}
