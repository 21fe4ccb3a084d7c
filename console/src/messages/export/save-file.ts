/* Writes a file piece by piece, without holding all of it in memory as text. */

export interface FileSink {
  write(text: string): Promise<void>;
  /** Finishes the file and hands it to the user. */
  close(): Promise<void>;
  /** Discards the file. */
  abort(): Promise<void>;
}

interface SavePicker {
  showSaveFilePicker?(options: {
    suggestedName: string;
    types: { accept: Record<string, string[]> }[];
  }): Promise<{ createWritable(): Promise<WritableFile> }>;
}

interface WritableFile {
  write(data: string): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/**
 * Asks where to save the file, if the browser can write to disk directly; call it in the handler of a click.
 * Otherwise collects blobs, which browsers keep outside of the script's memory. Undefined if the user declined.
 */
export async function openFile(
  name: string,
  mediaType: string,
  extension: string,
): Promise<FileSink | undefined> {
  const { showSaveFilePicker } = window as SavePicker;
  if (!showSaveFilePicker) return collect(name, mediaType);
  try {
    const types = [{ accept: { [mediaType]: [`.${extension}`] } }];
    const handle = await showSaveFilePicker.call(window, { suggestedName: name, types });
    return await handle.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // Some browsers have the function but refuse it, for example on an insecure origin.
    return collect(name, mediaType);
  }
}

function collect(name: string, mediaType: string): FileSink {
  let blobs: Blob[] = [];
  return {
    write(text) {
      blobs.push(new Blob([text]));
      return Promise.resolve();
    },
    close() {
      const url = URL.createObjectURL(new Blob(blobs, { type: mediaType }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      URL.revokeObjectURL(url);
      blobs = [];
      return Promise.resolve();
    },
    abort() {
      blobs = [];
      return Promise.resolve();
    },
  };
}
