/** YAML in, rendered diagnostics out: one place that calls the stages, so that the cases are data. */
import * as assert from 'uvu/assert'
import { checkApp, checkPlugins, checkResource } from '../../engine/definition/check.ts'
import type { Vocabulary } from '../../engine/definition/definition.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import { checkOptions } from '../../engine/plugin/options.ts'
import type { Diagnostic } from '../../engine/text/diagnostic.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'

/** The engine's own types, one key and two plugins. */
export const VOCABULARY: Vocabulary = {
  fieldTypes: new Map(FIELD_TYPES.map((type) => [type.name, type])),
  keys: new Map([
    ['soft_delete', { plugin: 'soft_delete', description: 'Keeps deleted rows.', schema: { type: 'boolean' } }],
    ['parity', { plugin: 'odd', description: 'Only even numbers.', schema: { type: 'integer', multipleOf: 2 } }],
  ]),
  actions: new Map(),
  plugins: new Map([
    ['soft_delete', { description: 'Keeps deleted rows.', options: undefined }],
    [
      'auth',
      {
        description: 'Signs people in.',
        options: {
          type: 'object',
          properties: {
            token_days: { type: 'integer', minimum: 1, default: 30 },
            approval: { enum: ['review', 'off'] },
          },
          additionalProperties: false,
        },
      },
    ],
  ]),
}

export function diagnose(text: string, file = 'resources/tickets.yaml'): readonly Diagnostic[] {
  const parsed = parseDocument({ file, text })
  if (parsed.value === undefined) return parsed.diagnostics
  if (!file.endsWith('app.yaml')) return [...parsed.diagnostics, ...checkResource(parsed.value, VOCABULARY).diagnostics]
  const plugins = checkPlugins(parsed.value)
  const options = [...VOCABULARY.plugins].map(([name, plugin]) => checkOptions({ name, ...plugin }, plugins.value))
  return [parsed, plugins, ...options, checkApp(parsed.value)].flatMap(({ diagnostics }) => diagnostics)
}

/** Asserts what people see of a file; `rendered` may be indented as the test is. */
export function checks(text: string, rendered: string, file?: string): void {
  assert.snapshot(renderDiagnostics(diagnose(dedent(text), file)).trimEnd(), dedent(rendered).trimEnd())
}

/** Asserts only `line:column code` of each complaint, where the wording is tested elsewhere. */
export function complains(text: string, places: readonly string[], file?: string): void {
  const rendered = renderDiagnostics(diagnose(dedent(text), file))
  const found = [...rendered.matchAll(/^\S+?:(\d+:\d+) (?:error|warning) ([a-z_]+):/gm)].map(
    (match) => `${match[1]} ${match[2]}`,
  )
  assert.equal(found, [...places])
}

/** The text without the indentation of its first line, and without that line's leading break. */
export function dedent(text: string): string {
  const lines = text.replace(/^\n/, '').replace(/\n *$/, '\n').split('\n')
  const margin = /^ */.exec(lines[0] ?? '')?.[0].length ?? 0
  return lines.map((line) => line.slice(Math.min(margin, /^ */.exec(line)?.[0].length ?? 0))).join('\n')
}
