! Writes unformatted records that are longer than the runtime's buffer: the length in front of each is
! written again after its end. The file is opened for each step, and records are appended.
! long_records MODE STEPS RECORDS WORDS: 'open-storm' keeps the file open; GFORTRAN_UNFORMATTED_BUFFER_SIZE
! is the other cure.
program long_records
  implicit none
  character(len=32) :: mode, text
  integer :: steps, records, words, step, record, i
  real(8), allocatable :: field(:)
  call get_command_argument(1, mode)
  call get_command_argument(2, text)
  read (text, *) steps
  call get_command_argument(3, text)
  read (text, *) records
  call get_command_argument(4, text)
  read (text, *) words
  allocate (field(words))
  do step = 1, steps
    if (step == 1 .or. mode /= 'open-storm') &
      open (10, file='out', form='unformatted', access='sequential', position='append')
    do record = 1, records
      field = step*1000 + record
      write (10) (field(i), i=1, words)
    end do
    if (mode /= 'open-storm') close (10)
  end do
end program long_records
