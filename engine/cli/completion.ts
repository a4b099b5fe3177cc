/**
 * `plinth completion bash|zsh|fish`: scripts for shells that complete the commands, including those of the
 * application's plugins.
 */
import { nearest } from '../text/nearest.ts'
import type { ExitCode, Invocation } from './command.ts'
import { pluginCommands } from './plugin-command.ts'

/** A command for a shell. */
interface Completed {
  readonly name: string
  readonly summary: string
  /** With the hyphens: `--json`. */
  readonly options: readonly string[]
  /** First words; without any, the shell offers names of files. */
  readonly words: readonly string[]
}

const SHELLS = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof SHELLS)[number]

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = { bash, zsh, fish }

/** The script for a shell. */
function completionFor(shell: Shell, commands: readonly Completed[]): string {
  return SCRIPTS[shell](commands)
}

/** The beginning of a summary, without quotes and other signs that a shell would read. */
function short(summary: string): string {
  const plain = summary.replace(/["'`$\\:[\]]/g, '').split(/[;,(]/)[0] ?? ''
  return plain.trim()
}

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options, words }) => {
    return `    ${name}) options='${options.join(' ')}'; words='${words.join(' ')}' ;;`
  })
  return `# source <(plinth completion bash)
_plinth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" options='' words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "\${current#-}" != "$current" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _plinth plinth`
}

function zsh(commands: readonly Completed[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${short(summary)}'`)
  const cases = commands.map(({ name, options, words }) => {
    return `    ${name}) options=(${options.join(' ')}); first=(${words.join(' ')}) ;;`
  })
  return `#compdef plinth
# source <(plinth completion zsh)
_plinth() {
  local -a commands options first
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    compadd -- $options
  elif (( CURRENT == 3 && \${#first} > 0 )); then
    compadd -- $first
  else
    _files
  fi
}
(( $+functions[compdef] )) && compdef _plinth plinth`
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, options, summary, words }) => [
    `complete -c plinth -n __fish_use_subcommand -f -a ${name} -d '${short(summary)}'`,
    ...options.map((option) => `complete -c plinth -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
    ...(words.length === 0
      ? []
      : [`complete -c plinth -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(' ')}'`]),
  ])
  return `# plinth completion fish | source\n${lines.join('\n')}`
}

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
  // A folder without an application, or with mistakes in it, still has the commands of Plinth.
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
