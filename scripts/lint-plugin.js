// The rules of this repository, for both linters.
// An own rule counts lines of functions, because the callbacks of describe and test are lists of cases, not functions to be split.
const runners = new Set(['describe', 'test', 'fullTest', 'it', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']);

/** `test`, `test.for(…)(…)`, `test.describe.serial` → the name at the root. */
function rootName(node) {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression') return rootName(node.object);
  if (node.type === 'CallExpression') return rootName(node.callee);
  return node.type === 'TaggedTemplateExpression' ? rootName(node.tag) : undefined;
}

const isCase = (node) => node.parent.type === 'CallExpression' && runners.has(rootName(node.parent.callee));

const maxFunctionLines = {
  meta: {
    type: 'suggestion',
    schema: [{ type: 'object', properties: { max: { type: 'integer' }, cases: { type: 'boolean' } } }],
    messages: { long: 'Function has {{lines}} lines; at most {{max}} are allowed.' },
  },
  create(context) {
    const { max, cases = false } = context.options[0];
    const check = (node) => {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      if (lines <= max || (cases && isCase(node))) return;
      const { start } = node.loc;
      context.report({ node, loc: { start, end: start }, messageId: 'long', data: { lines, max } });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

const noLiteralSpread = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { spread: 'Write the properties of the spread object directly.' },
  },
  create(context) {
    return {
      SpreadElement(node) {
        if (node.parent.type === 'ObjectExpression' && node.argument.type === 'ObjectExpression')
          context.report({ node, messageId: 'spread' });
      },
    };
  },
};

export default {
  meta: { name: 'triad' },
  rules: { 'max-function-lines': maxFunctionLines, 'no-literal-spread': noLiteralSpread },
};
