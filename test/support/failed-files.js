// A reporter for the test runner: the files with a test that failed, a line each.
// oxlint-disable-next-line import/no-default-export -- the runner asks for one
export default async function* failedFiles(source) {
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.file) yield `${data.file}\n`;
  }
}
