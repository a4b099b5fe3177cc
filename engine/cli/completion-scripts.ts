/** What makes a shell complete a command line: one script for each shell, from the commands that there are. Pure. */

/** A command as a shell needs to know it. */
export interface Completed {
  readonly name: string
  readonly summary: string
  /** With the hyphens: `--json`. */
  readonly options: readonly string[]
  /** Words that may stand first; without any, names of files are offered. */
  readonly words: readonly string[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = { bash, zsh, fish }

/** The script for a shell. */
export function completionFor(shell: Shell, commands: readonly Completed[]): string {
  return SCRIPTS[shell](commands)
}

/** The beginning of a summary, in which a shell finds nothing to read: no quotes, no signs of its own. */
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
