/**
 * Finds members of the interface of plugins in code, without a parser: keys of `definePlugin({ … })`, and what code asks
 * of a context, which is called `context` or has a type whose name ends so.
 */
import type { Source } from '../../text/source.ts'
import type { EarlierName, EarlierWord } from './words.ts'

/** Comments, texts and regular expressions, in which names mean nothing; what is inside of a template is code. */
const NO_CODE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[=(,:[!&|?{};>]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g

const PLUGIN = /\bdefinePlugin\s*\(\s*\{|:\s*Plugin\s*=\s*\{/g
const CONTEXT = String.raw`[A-Z]\w*Context\b`
const TYPED = new RegExp(String.raw`([\w$]+)\s*\??\s*:\s*${CONTEXT}`, 'g')
const TAKEN_APART = new RegExp(
  String.raw`\{([^{}]*)\}\s*(?::\s*${CONTEXT}|=\s*(?:await\s+)?([\w$]+)\s*(?:[;\n]|$))`,
  'g',
)
const TOKEN = /[([{]|[)\]}]|,|[\w$]+/g
const PART = /([\w$]+)(\s*:)?[^,]*/g

/** A name in code; `isShort` where it names a member and a variable at once. */
interface Named {
  readonly name: string
  readonly start: number
  readonly isShort: boolean
}

/** The members of earlier versions in a file. */
export function membersIn(words: readonly EarlierWord[], source: Source): readonly EarlierName[] {
  const known = new Map(words.flatMap((word) => (word.member === undefined ? [] : [[word.member, word] as const])))
  if (known.size === 0) return []
  const code = source.text.replace(NO_CODE, (text) => text.replaceAll(/[^\n]/g, ' '))
  const found = [
    ...keysOfPlugins(code).map((key) => ({ ...key, of: 'plugin' })),
    ...askedOfContexts(code).map((asked) => ({ ...asked, of: 'context' })),
  ]
  return found.flatMap(({ of, name, start, isShort }): readonly EarlierName[] => {
    const word = known.get(`${of}.${name}`)
    if (word === undefined) return []
    const is = word.is?.split('.').at(-1)
    const becomes = is === undefined || !isShort ? is : `${is}: ${name}`
    return [{ word, span: { source, start, end: start + name.length }, becomes }]
  })
}

function keysOfPlugins(code: string): readonly Named[] {
  return [...code.matchAll(PLUGIN)].flatMap((begin) => keysFrom(code, begin.index + begin[0].length))
}

/** The keys of the object whose first brace ends at `start`. */
function keysFrom(code: string, start: number): readonly Named[] {
  const keys: Named[] = []
  let depth = 1
  let isNext = true
  for (const { 0: token, index } of code.slice(start).matchAll(TOKEN)) {
    if (/[([{]/.test(token)) depth += 1
    else if (/[)\]}]/.test(token)) depth -= 1
    else if (depth === 1 && token === ',') isNext = true
    else if (depth === 1 && isNext && token !== 'async') {
      const at = start + index
      keys.push({ name: token, start: at, isShort: /^\s*[,}]/.test(code.slice(at + token.length)) })
      isNext = false
    }
    if (depth === 0) break
  }
  return keys
}

function askedOfContexts(code: string): readonly Named[] {
  const names = new Set(['context', ...[...code.matchAll(TYPED)].map(([, name = '']) => name)])
  const one = [...names].map((name) => name.replaceAll('$', String.raw`\$`)).join('|')
  const asked = new RegExp(String.raw`(?<![\w$.])(?:${one})\s*(?:\?\s*)?\.\s*([\w$]+)`, 'g')
  const members = [...code.matchAll(asked)].map(({ 0: all, 1: name = '', index }) => ({
    name,
    start: index + all.length - name.length,
    isShort: false,
  }))
  const parts = [...code.matchAll(TAKEN_APART)].flatMap(({ 1: list = '', 2: from, index }) => {
    if (from !== undefined && !names.has(from)) return []
    return [...list.matchAll(PART)].map(({ 1: name = '', 2: colon, index: at }) => ({
      name,
      start: index + 1 + at,
      isShort: colon === undefined,
    }))
  })
  return [...members, ...parts]
}
