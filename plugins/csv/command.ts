/** `plinth import <resource> <file>`: an import from a terminal, with a progress bar. */
import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import {
  ApiError,
  type FieldDefinition,
  type Json,
  type JsonObject,
  nearest,
  type PluginContext,
  type Resource,
} from '../../engine/index.ts'
import { definitionOf } from './csv-key.ts'
import { importSheet, sheetOf } from './import.ts'
import { importOptions, importParameters } from './options.ts'
import { type Report, summary } from './outcome.ts'

const WIDTH = 30
const DRY = '--dry-run'

/** A sentence that ends the command, and its exit code. */
class Refused extends Error {
  readonly code: number
  constructor(sentence: string, code = 2) {
    super(sentence)
    this.code = code
  }
}

/** Whether an import could write; a mistake in its words is no reason to begin an application. */
export function writes(args: readonly string[]): boolean {
  const [, path, ...more] = args.filter((word) => !word.startsWith('--'))
  return path !== undefined && more.length === 0 && existsSync(path) && !args.includes(DRY)
}

/** Imports as the system; returns 0 when every row is in, 1 when one failed, 2 for wrong words. */
export async function importCommand(context: PluginContext, args: readonly string[]): Promise<number> {
  try {
    const [name = '', path = '', ...more] = args.filter((word) => !word.startsWith('--'))
    if (path === '' || more.length > 0)
      throw new Refused('Use: plinth import <resource> <file> [--dry-run] [--map=…] …')
    const resource = importable(context, name)
    const words = args.filter((word) => word.startsWith('--'))
    const options = importOptions(resource, parametersOf(words, importParameters(resource)))
    await access(path).catch(() => {
      throw new Refused(`There is no file ${path}.`)
    })
    const sheet = await sheetOf(context, resource, path, options)
    return tell(await importSheet(context, resource, sheet, { progress: bar() }))
  } catch (error) {
    if (error instanceof Refused) return refuse([error.message], error.code)
    if (error instanceof ApiError)
      return refuse(
        Object.values(error.params.errors ?? {})
          .flat()
          .map(String),
        1,
        error.message,
      )
    throw error
  }
}

function importable({ catalog }: PluginContext, name: string): Resource {
  const found = [...catalog.resources.values()].filter(({ keys }) => definitionOf(keys.csv)?.import !== undefined)
  const resource = found.find((one) => one.name === name)
  if (resource !== undefined) return resource
  const names = found.map((one) => one.name)
  const meant = nearest(name, names)
  const hint = meant === undefined ? `What can: ${names.join(', ')}` : `Did you mean ${meant}?`
  throw new Refused(`"${name}" cannot be imported. ${hint}`)
}

type Parameters = Readonly<Record<string, FieldDefinition>>

/** `--dry-run --map=A:B` as parameters of the route. */
function parametersOf(words: readonly string[], known: Parameters): JsonObject {
  const parameters: Record<string, Json> = {}
  for (const word of words) {
    const [key = '', ...values] = word.slice(2).split('=')
    const name = key.replaceAll('-', '_')
    const boolean = known[name]?.type === 'boolean'
    if (!Object.hasOwn(known, name) || boolean !== (values.length === 0))
      throw new Refused(
        `"${word}" is no option here. Options: ${Object.keys(known)
          .map((one) => usage(one, known))
          .join(' ')}`,
      )
    parameters[name] = boolean ? true : values.join('=')
  }
  return parameters
}

function usage(name: string, known: Parameters): string {
  const word = `--${name.replaceAll('_', '-')}`
  return known[name]?.type === 'boolean' ? word : `${word}=…`
}

function refuse(sentences: readonly string[], code: number, otherwise = ''): number {
  for (const sentence of sentences.length === 0 ? [otherwise] : sentences) process.stderr.write(`${sentence}\n`)
  return code
}

/** A progress bar that redraws itself on a terminal, and is invisible elsewhere. */
function bar(): (done: number, total: number) => void {
  return (done, total) => {
    if (!process.stderr.isTTY) return
    const filled = total === 0 ? WIDTH : Math.round((WIDTH * done) / total)
    process.stderr.write(
      `\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${total}${done === total ? '\n' : ''}`,
    )
  }
}

function tell(report: Report): number {
  for (const { row, errors, cells } of report.errors) {
    const words = Object.entries(errors).flatMap(([name, sentences]) => {
      const cell = cells[name]
      const where = cell === undefined ? '' : `${cell.column} ${JSON.stringify(cell.value)}: `
      return sentences.map((sentence) => `${where}${sentence}`)
    })
    process.stderr.write(`line ${row}: ${words.join('; ')}\n`)
  }
  for (const { column, note, row } of report.notes) process.stderr.write(`line ${row}: ${column}: ${note}\n`)
  process.stdout.write(`${summary(report)}\n`)
  return report.failed > 0 ? 1 : 0
}
