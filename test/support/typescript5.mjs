/** Gives generators of types the TypeScript 5 that they are written for, beside the one that compiles this repository. */
import { register } from 'node:module'

const hook = `export const resolve = (specifier, context, next) => next(specifier === 'typescript' ? 'typescript5' : specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`)
