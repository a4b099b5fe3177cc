/**
 * `plinth upgrade`: replaces words of earlier versions in the files of the application by what took their place, or says
 * what a person has to decide and changes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import { readLayers } from '../boot/layers.ts'
import { sentenceOf } from '../error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { changedLines } from '../text/changes.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { placeOf } from '../text/source.ts'
import { Files } from './add/files.ts'
import { showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { nextOf } from './next.ts'
import { type Earlier, earlierIn } from './upgrade/earlier.ts'
import { earlierNamesIn, pluginCode, withPresentNames } from './upgrade/plugin-names.ts'
import { type Choice, type EarlierWord, earlierWords, type Instead } from './upgrade/words.ts'

/** Mistakes that leave a file without its value. */
const UNREAD: ReadonlySet<string> = new Set(['yaml_syntax', 'source_too_large'])

/** So often a replacement may bring another earlier word to light. */
const ROUNDS = 5

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, settings } = invocation
  const { value: sources, diagnostics } = await readLayers(settings.resourcesDir)
  if (sources === undefined || diagnostics.length > 0) {
    showDiagnostics({ diagnostics }, invocation)
    complain('Nothing was changed: mend this first.')
    return 1
  }
  const chosen = choicesOf(options.choose)
  if (typeof chosen === 'string') {
    complain(chosen)
    return 2
  }
  const files = new Files(sources)
  try {
    const words = await earlierWords()
    const work = new Work(files, chosen)
    for (let round = 0; round < ROUNDS; round += 1) {
      const checked = await files.checked(settings.pluginsDir)
      const unread = checked.diagnostics.filter(({ code }) => UNREAD.has(code))
      if (unread.length > 0) {
        showDiagnostics({ diagnostics: unread }, invocation)
        complain('Nothing was changed: mend this first.')
        return 1
      }
      const { app, resources } = files.present
      if (!work.replace(earlierIn(words, app, resources, checked.diagnostics))) break
    }
    if (work.open.size > 0) {
      complain([...work.open.values()].map(question).join('\n\n'))
      complain(
        `Nothing was changed. Choose: plinth upgrade --choose ${[...work.open.keys()].map((name) => `${name}=1`).join(',')}`,
      )
      return 1
    }
    const code = earlierNamesIn(words, await pluginCode(settings.pluginsDir))
    for (const [{ file, text }, after] of withPresentNames(code)) files.rewrite(file, text, after)
    const idle = [...chosen.keys()].filter((name) => !work.asked.has(name))
    if (idle.length > 0) {
      complain(`There is nothing to choose for ${idle.join(', ')}.`)
      return 2
    }
    return await finish(files, work.notes, invocation)
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}

/** `tickets.said=1,tickets.reopen_on_comment=2`; a sentence where it is written in another way. */
function choicesOf(option: string | boolean | undefined): ReadonlyMap<string, number> | string {
  const parts = typeof option === 'string' ? option.split(',').filter((part) => part !== '') : []
  const wrong = parts.find((part) => !/^[^=]+=[1-9]$/.test(part))
  if (wrong !== undefined) return `"${wrong}" chooses nothing. Use: plinth upgrade --choose conversations.said=1`
  return new Map(parts.map((part) => [part.slice(0, -2), Number(part.at(-1))]))
}

/** The replacements of one upgrade, made in the files one by one. */
class Work {
  readonly notes: string[] = []
  /** What has to be chosen, by its name. */
  readonly open = new Map<string, Earlier>()
  readonly asked = new Set<string>()
  readonly #files: Files
  readonly #chosen: ReadonlyMap<string, number>

  constructor(files: Files, chosen: ReadonlyMap<string, number>) {
    this.#files = files
    this.#chosen = chosen
  }

  /** Replaces what is there to replace; whether anything was. The last item of a list is taken out first, so that places stay. */
  replace(found: readonly Earlier[]): boolean {
    const before = this.#files.changed
    const ways = found.map((one) => ({ one, way: this.#wayFor(one) }))
    for (const { one, way } of [...ways].reverse()) if (!('keeps' in way)) this.#remove(one)
    for (const { one, way } of ways) this.#add(one, way)
    return !isDeepStrictEqual(before, this.#files.changed)
  }

  #wayFor(one: Earlier): Instead | Choice {
    const { choose } = one.word
    if (choose === undefined) return one.word
    const meant = choose.find((choice) => choice.if !== undefined && isDeepStrictEqual(choice.if, one.value))
    if (meant !== undefined) return meant
    this.asked.add(one.name)
    const choice = choose[(this.#chosen.get(one.name) ?? 0) - 1]
    if (choice !== undefined) return choice
    this.open.set(one.name, one)
    // With the first one, what has to be chosen after it comes to light.
    return choose[0]!
  }

  /** A plugin whose last option goes is used still. */
  #remove({ file, path }: Earlier): void {
    if (path.length === 0) return
    this.#files.remove(file, path)
    const [section, plugin] = path
    if (section === 'plugins' && this.#files.valueAt(file, ['plugins', String(plugin)]) === undefined)
      this.#files.addEntry(file, ['plugins'], String(plugin), {})
  }

  #add(one: Earlier, { add, to }: Instead): void {
    if (add === undefined) return
    const file = to === undefined ? one.file : this.#files.fileOf(to, undefined)
    this.#merge(file, [], filled(add, one.written) as JsonObject)
  }

  #merge(file: string, path: readonly string[], value: JsonObject): void {
    for (const [key, wanted] of Object.entries(value)) {
      const there = this.#files.valueAt(file, [...path, key])
      if (there === undefined && path.length === 0 && isObject(wanted))
        for (const [name, one] of Object.entries(wanted)) this.#files.addEntry(file, [key], name, one ?? null)
      else if (there === undefined && path.length === 0 && Array.isArray(wanted))
        for (const item of wanted) this.#files.addItem(file, [key], item)
      else if (there === undefined) this.#files.addEntry(file, path, key, wanted ?? null)
      else if (isObject(there) && isObject(wanted)) this.#merge(file, [...path, key], wanted)
      else if (Array.isArray(there) && Array.isArray(wanted)) this.#extend(file, [...path, key], there, wanted)
      else if (!isDeepStrictEqual(there, wanted))
        this.notes.push(`${file} has its own ${[...path, key].join('.')}, which stays as it is.`)
    }
  }

  #extend(file: string, path: readonly string[], there: readonly Json[], wanted: readonly Json[]): void {
    for (const item of wanted)
      if (!there.some((other) => isDeepStrictEqual(other, item))) this.#files.addItem(file, path, item)
  }
}

/** The value with `{word}` replaced in its keys and texts. */
function filled(value: Json, word: string): Json {
  if (typeof value === 'string') return value.replaceAll('{word}', word)
  if (Array.isArray(value)) return value.map((one) => filled(one, word))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.replaceAll('{word}', word), filled(one ?? null, word)]),
  )
}

function question({ name, span, word }: Earlier): string {
  const choices = (word.choose ?? []).map(({ says }, at) => `     ${at + 1}  ${says}`)
  return [`${placeOf(span)} ${name}: ${saysOf(word)}`, ...choices].join('\n')
}

const saysOf = ({ says, version }: EarlierWord): string => `${says} (since ${version})`

async function finish(files: Files, notes: readonly string[], invocation: Invocation): Promise<ExitCode> {
  const { complain, options, say, settings } = invocation
  if (files.changed.length === 0) {
    say('No word of an earlier version is in these files.')
    return 0
  }
  const isTried = options['dry-run'] === true
  const told = files.changed.map(({ file, before, after }) => `${file}\n${changedLines(before, after)}`)
  let next: string | undefined
  let left: readonly Diagnostic[] = []
  await files.write(settings.pluginsDir, async (checked) => {
    left = checked.diagnostics
    if (checked.value !== undefined) next = await nextOf(checked.value, invocation)
    return !isTried
  })
  say([...told, ...new Set(notes)].join('\n\n'))
  showDiagnostics({ diagnostics: left }, invocation)
  if (next !== undefined) say(`\n${next}`)
  if (isTried) say('\nNothing was written: this was a dry run.')
  else if (next === undefined)
    complain('The words are replaced. The mistakes above were there before, or need your decision.')
  return next === undefined ? 1 : 0
}
